/**
 * The parts of a prompt, those that were left out included, and how long it is.
 *
 * Owns what is said of a part. Does not own its text: that is in the messages.
 */
import * as Schema from "effect/Schema";

export const ComponentKind = Schema.Literals([
  "system",
  "task",
  "preset",
  "character",
  "persona",
  "worldInfo",
  "authorsNote",
  "examples",
  "history",
  "workspaceTree",
  "file",
  "skills",
  "toolResults",
  "guidance",
  "conversation",
  "taskResults",
  "reminder",
  "note",
  "tools",
]);
export type ComponentKind = typeof ComponentKind.Type;

/** Why a part is not in the prompt. */
export const SkipReason = Schema.Literals([
  "disabled",
  "otherGenerationType",
  "empty",
  "overBudget",
  "historyLimit",
  "excluded",
]);
export type SkipReason = typeof SkipReason.Type;

/** How a result of a tool is shown: whole, its beginning, a note in its place, or with the whole file that its call wrote. */
export const ShownForm = Schema.Literals(["full", "summary", "gone", "file"]);
export type ShownForm = typeof ShownForm.Type;

/**
 * `identifier` is unique within its prompt; `source` says where the text is from: `preset`, `card`, `persona`, `profile`,
 * `task`, `chat:current#<index>`, `worldinfo:<world>#<uid>`, `workspace:<path>`. `tokens` is null where a part was left out
 * uncounted. `form` is of results of tools. A part that stands `within` another one, by its identifier, is counted there too.
 */
export const PromptComponent = Schema.Struct({
  identifier: Schema.String,
  kind: ComponentKind,
  source: Schema.String,
  tokens: Schema.NullOr(Schema.Int),
  skipped: Schema.NullOr(SkipReason),
  form: Schema.optionalKey(ShownForm),
  within: Schema.optionalKey(Schema.String),
});
export type PromptComponent = typeof PromptComponent.Type;

/** `counter` is what counted; `isExact` is false where it estimates. `budget` is null where nothing limits the prompt. */
export const TokenCount = Schema.Struct({
  count: Schema.Int,
  counter: Schema.String,
  isExact: Schema.Boolean,
  budget: Schema.NullOr(Schema.Int),
});
export type TokenCount = typeof TokenCount.Type;
