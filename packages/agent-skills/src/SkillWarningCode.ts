/**
 * What may be odd about a package that is used all the same.
 */
import type { SkillWarning } from "@cahier/domain/skill/Skill";
import * as Schema from "effect/Schema";

export const SkillWarningCode = Schema.Literals([
  /** `SKILL.md` has no front matter: name and description are made up. */
  "front_matter_missing",
  /** It has some that is no valid YAML: only plain lines of it are used. */
  "front_matter_unreadable",
  /** Tags of YAML, which would make it more than data, are not obeyed. */
  "yaml_tags_ignored",
  /** Keys that the format does not have. */
  "keys_unknown",
  /** A key whose value is of another kind than the format has there. */
  "value_ignored",
  /** There is no name: the folder's is used. */
  "name_missing",
  /** The name could not be kept as it is written. */
  "name_changed",
  "name_unlike_folder",
  "name_too_long",
  /** `_`, a hyphen at an end, or two in a row. */
  "name_unpublishable",
  /** There is no description: it is made of the text. */
  "description_missing",
  "description_too_long",
  "compatibility_too_long",
  /** Values in `metadata` that are no text. */
  "metadata_not_text",
  /** `allowed-tools` is a list, not a text. */
  "allowed_tools_listed",
  /** `SKILL.md` links to files that are not there. */
  "references_missing",
  /** There are scripts; they are kept and never run. */
  "scripts_not_run",
  /** The file was called `skill.md` or the like. */
  "skill_file_renamed",
  /** Files that a desktop leaves in folders are left out. */
  "desktop_files_left_out",
]);
export type SkillWarningCode = typeof SkillWarningCode.Type;

/** A warning; `message` is for the person who brings the package, and says what to do where something can be done. */
export const warn = (code: SkillWarningCode, message: string): SkillWarning => ({ code, message });
