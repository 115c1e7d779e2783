/**
 * Turns a frozen chat, a character and a profile's instructions into the messages that an invocation starts with.
 */
import type { FrozenChat, GenerationType } from "@cahier/domain/chat/Chat";
import type { Message } from "@cahier/domain/model/Message";
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";

/** The parts of a character card that a prompt is made of; empty strings where a card has none. */
export const Character = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  personality: Schema.String,
  scenario: Schema.String,
  firstMessage: Schema.String,
  exampleMessages: Schema.String,
  systemPrompt: Schema.String,
  postHistoryInstructions: Schema.String,
});
export type Character = typeof Character.Type;

export interface PromptInput {
  readonly generationType: GenerationType;
  readonly chat: FrozenChat;
  readonly character?: Character;
  /** The text of the `agentSystemPrompt` anchor. */
  readonly agentSystemPrompt: string;
  /** -1 the whole history, 0 none, n the last n messages. Hidden messages never count and never enter. */
  readonly initialChatHistoryMessages: number;
}

export class PromptFault extends Schema.TaggedError<PromptFault>()("PromptFault", {
  reason: Schema.Union([
    Schema.TaggedStruct("Empty", {}),
    /** A marker of an anchor is left in the messages. */
    Schema.TaggedStruct("MarkerUnmaterialized", { marker: Schema.String }),
    /** There is no room for a part that the prompt must have; `identifier` is what its preset calls it. */
    Schema.TaggedStruct("RequiredOverBudget", { identifier: Schema.String }),
  ]),
  detail: Schema.String,
}) {}

/** What an anchor's marker looks like in a template; none may be left in the result. */
export const anchorMarker = (anchor: string): string => `{{cahier:${anchor}}}`;

/** Laws: `PRM-*` in `@cahier/testkit/laws/PromptAssemblerLaws`. */
export class PromptAssembler extends Context.Service<
  PromptAssembler,
  {
    /** Equal inputs give equal messages; the input is never changed; the agent's system prompt is in the result once. */
    readonly assemble: (input: PromptInput) => Effect.Effect<ReadonlyArray<Message>, PromptFault>;
    /** What this assembler is called in the journal, such as `sillytavern`. */
    readonly source: string;
    /** The anchors that it fills. */
    readonly anchors: ReadonlyArray<string>;
  }
>()("@cahier/ports/PromptAssembler") {}
