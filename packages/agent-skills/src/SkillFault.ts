/**
 * Facts about a package that cannot be used.
 *
 * Every refusal of this package's readers is one. What is merely odd is a warning of the package instead.
 */
import * as Schema from "effect/Schema";

/** The codes that reading a package can give; what they mean stands in the registry of failures. */
export const SkillFaultCode = Schema.Literals([
  "skill.archive_invalid",
  "skill.front_matter_invalid",
  "skill.name_invalid",
  "skill.path_unsafe",
  "skill.sidecar_invalid",
  "skill.skill_file_missing",
  "skill.symlink_refused",
  "skill.too_large",
]);
export type SkillFaultCode = typeof SkillFaultCode.Type;

/** `path` is the file that is meant, as it was given. `detail` says what was found and what to do. */
export class SkillFault extends Schema.TaggedError<SkillFault>()("SkillFault", {
  code: SkillFaultCode,
  path: Schema.optionalKey(Schema.String),
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect()),
}) {
  override get message(): string {
    return this.detail;
  }
}
