/** Facts about a character card that cannot be used. */
import * as Schema from "effect/Schema";

export const CardFaultReason = Schema.Union([
  /** There is no character in it. */
  Schema.TaggedStruct("NotACard", {}),
  /** There is one, but it cannot be read. */
  Schema.TaggedStruct("Damaged", {}),
  /** A kind of card that is not read here. */
  Schema.TaggedStruct("Unsupported", {}),
  /** There is no such file. */
  Schema.TaggedStruct("Missing", {}),
  /** The file cannot be read. */
  Schema.TaggedStruct("Unreadable", {}),
]);
export type CardFaultReason = typeof CardFaultReason.Type;

/** `detail` says what was found and what to do. */
export class CardFault extends Schema.TaggedError<CardFault>()("CardFault", {
  reason: CardFaultReason,
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect()),
}) {
  override get message(): string {
    return this.detail;
  }
}
