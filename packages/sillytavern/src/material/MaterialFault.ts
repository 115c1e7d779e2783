/** Facts about a file of SillyTavern's that a prompt cannot be made of. */
import * as Schema from "effect/Schema";

export const MaterialFaultReason = Schema.Union([
  /** There is no such file. */
  Schema.TaggedStruct("Missing", {}),
  /** The file cannot be read. */
  Schema.TaggedStruct("Unreadable", {}),
  /** The file is no JSON. */
  Schema.TaggedStruct("Damaged", {}),
  /** It is JSON, but no chat-completion preset. */
  Schema.TaggedStruct("NotAPreset", {}),
  /** It is JSON, but no lorebook. */
  Schema.TaggedStruct("NotALorebook", {}),
  /** It is JSON, but no settings. */
  Schema.TaggedStruct("NotSettings", {}),
]);
export type MaterialFaultReason = typeof MaterialFaultReason.Type;

/** `detail` says what was found and what to do. */
export class MaterialFault extends Schema.TaggedError<MaterialFault>()("MaterialFault", {
  reason: MaterialFaultReason,
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect()),
}) {
  override get message(): string {
    return this.detail;
  }
}
