/**
 * The chat that a run writes to, as the runtime sees it.
 */
import * as Schema from "effect/Schema";
import { StableChatId } from "../identity/Identity.ts";

/** Which chat: a character's, named by the character's id and the chat's file name, or a group's. */
export const ChatRef = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("character"), characterId: Schema.String, fileName: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("group"), chatId: Schema.String }),
]);
export type ChatRef = typeof ChatRef.Type;

export const GenerationType = Schema.Literals(["normal", "regenerate", "swipe", "continue", "quiet", "impersonate"]);
export type GenerationType = typeof GenerationType.Type;

export const ChatRole = Schema.Literals(["user", "assistant", "system"]);
export type ChatRole = typeof ChatRole.Type;

/**
 * What runs have left in a message of what they remember, as it stands there: it is judged where it is read.
 * `otherStateIds` are the states that swipes which are not shown name.
 */
export const MessageAgent = Schema.Struct({
  persistStateStatus: Schema.optionalKey(Schema.Json),
  persistStateId: Schema.optionalKey(Schema.Json),
  otherStateIds: Schema.optionalKey(Schema.Array(Schema.String)),
});
export type MessageAgent = typeof MessageAgent.Type;

/**
 * One message of the frozen prefix. `index` is 0-based and does not count a file's header. `metadata` is what prompts need of
 * the message beside these, in the host's own form, for assemblers that know it; no tool reads it.
 */
export const ChatMessage = Schema.Struct({
  index: Schema.Int,
  role: ChatRole,
  name: Schema.String,
  text: Schema.String,
  hidden: Schema.Boolean,
  sendDate: Schema.optionalKey(Schema.String),
  agent: Schema.optionalKey(MessageAgent),
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
});
export type ChatMessage = typeof ChatMessage.Type;

/**
 * What a run sees of its chat for its whole life. The target of a swipe or regenerate is not part of `messages`.
 * `revision` identifies the state of the whole chat at the moment of freezing. `metadata` is what the host keeps with the
 * chat besides its messages, in the host's own form; absent where it has none.
 */
export const FrozenChat = Schema.Struct({
  ref: ChatRef,
  stableChatId: StableChatId,
  userName: Schema.String,
  characterName: Schema.String,
  messages: Schema.Array(ChatMessage),
  revision: Schema.String,
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
});
export type FrozenChat = typeof FrozenChat.Type;

/** `replace` sets the message's text, `append` adds to the text that the run published before. */
export const CommitMode = Schema.Literals(["replace", "append"]);
export type CommitMode = typeof CommitMode.Type;
