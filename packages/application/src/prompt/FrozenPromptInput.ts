/**
 * What the prompts of a run's later agents are made of: the chat as it was when the run began, its character, and what the
 * assembler had of its own.
 *
 * It never changes. What runs have left in the messages is not in it: it is for no prompt, and may change while the text does
 * not.
 */
import { FrozenChat, GenerationType } from "@cahier/domain/chat/Chat";
import { Character } from "@cahier/ports/PromptAssembler";
import * as Schema from "effect/Schema";

export const kind = "cahier.promptInput";

export const FrozenPromptInput = Schema.Struct({
  kind: Schema.Literal(kind),
  schemaVersion: Schema.Literal(1),
  generationType: GenerationType,
  chat: FrozenChat,
  character: Schema.optionalKey(Character),
  material: Schema.optionalKey(Schema.Json),
});
export type FrozenPromptInput = typeof FrozenPromptInput.Type;

/** The input of a run that starts from a chat, as JSON. */
export const of = (
  generationType: GenerationType,
  chat: FrozenChat,
  character: Character | undefined,
  material: Schema.Json | undefined,
): Schema.Json => ({
  kind,
  schemaVersion: 1,
  generationType,
  chat: { ...chat, messages: chat.messages.map(({ agent: _agent, ...message }) => message) },
  ...(character === undefined ? {} : { character }),
  ...(material === undefined ? {} : { material }),
});

/** Reads it back; undefined for what a host has frozen in a form of its own. */
export const decode = Schema.decodeUnknownOption(Schema.fromJsonString(FrozenPromptInput));
