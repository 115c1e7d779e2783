/**
 * Turns a frozen chat, a character and a profile's instructions into the messages that an invocation starts with.
 */
import type { FrozenChat, GenerationType } from "@cahier/domain/chat/Chat";
import type { Message } from "@cahier/domain/model/Message";
import type { GenerationParameters } from "@cahier/domain/model/ModelRequest";
import type { PromptComponent, TokenCount } from "@cahier/domain/prompt/PromptComponent";
import type { ActivatedWorldInfo } from "@cahier/domain/worldinfo/ActivatedWorldInfo";
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

/** A preset by name; the assembler knows where presets are. `apiId` is the kind of preset, such as `openai`. */
export interface PresetRef {
  readonly apiId: string;
  readonly name: string;
}

export interface PromptInput {
  readonly generationType: GenerationType;
  readonly chat: FrozenChat;
  readonly character?: Character;
  /** The text of the `agentSystemPrompt` anchor. */
  readonly agentSystemPrompt: string;
  /** The text of the `agentTask` anchor: what a delegated agent or a successor is to do. */
  readonly agentTask?: string;
  /** -1 the whole history, 0 none, n the last n messages. Hidden messages never count and never enter. */
  readonly initialChatHistoryMessages: number;
  /** Whether world info enters; default true. What is active is told in the result either way. */
  readonly includeActivatedWorldInfo?: boolean;
  /** The model that will read the prompt, by which tokens are counted. */
  readonly model?: string;
  /** How many tokens the prompt may have; without it the preset's own context decides, or nothing does. */
  readonly budgetTokens?: number;
  /** The preset of this prompt instead of the assembler's own. */
  readonly preset?: PresetRef;
  /** What the assembler gave as `material` when the run began: what it has of its own now is not used then. */
  readonly material?: Schema.Json;
  /** Whether the caller keeps `material` for later prompts. */
  readonly keepsMaterial?: boolean;
}

/**
 * A prompt and how it came to be. `components` has the parts in the order in which they are sent, those that were left out too. `activated` is the world info that was
 * active, absent where the assembler knows of none. `chatState` is what the chat should keep for the next prompt (such as
 * timed effects and variables), as metadata in the chat's own form; absent where it need not change. `parameters` are what
 * the preset says of sampling and of the length of the answer. `material` is what the assembler made it of beside its input, in a form of
 * its own: it is frozen with the run, so that whoever makes a later prompt of it makes it of the same. It is absent where there is none, and
 * where nobody keeps it.
 */
export interface AssembledPrompt {
  readonly messages: ReadonlyArray<Message>;
  readonly components: ReadonlyArray<PromptComponent>;
  readonly tokens: TokenCount;
  readonly parameters?: GenerationParameters;
  readonly material?: Schema.Json;
  readonly activated?: ActivatedWorldInfo;
  readonly chatState?: Readonly<Record<string, Schema.Json>>;
}

export class PromptFault extends Schema.TaggedError<PromptFault>()("PromptFault", {
  reason: Schema.Union([
    Schema.TaggedStruct("Empty", {}),
    /** A marker of an anchor is left in the messages. */
    Schema.TaggedStruct("MarkerUnmaterialized", { marker: Schema.String }),
    /** There is no room for a part that the prompt must have; `identifier` is what its preset calls it. */
    Schema.TaggedStruct("RequiredOverBudget", { identifier: Schema.String }),
    /** There is no preset of this name, or this assembler has no presets. */
    Schema.TaggedStruct("PresetMissing", { apiId: Schema.String, name: Schema.String }),
  ]),
  detail: Schema.String,
}) {}

/** What an anchor's marker looks like in a template; none may be left in the result. */
export const anchorMarker = (anchor: string): string => `{{cahier:${anchor}}}`;

/** Laws: `PRM-*` in `@cahier/testkit/laws/PromptAssemblerLaws`. */
export class PromptAssembler extends Context.Service<
  PromptAssembler,
  {
    /**
     * Equal inputs give equal prompts; the input is never changed; the agent's system prompt is in the messages once, and
     * so is its task.
     */
    readonly assemble: (input: PromptInput) => Effect.Effect<AssembledPrompt, PromptFault>;
    /** What this assembler is called in the journal, such as `sillytavern`. */
    readonly source: string;
    /** The anchors that it fills. */
    readonly anchors: ReadonlyArray<string>;
  }
>()("@cahier/ports/PromptAssembler") {}
