/**
 * What a prompt is made of, and what comes of it.
 */
import type { CardSheet } from "../material/CardSheet.ts";
import type { ChatLine, ChatMetadata } from "../material/ChatRecord.ts";
import type { Lorebook } from "../material/Lorebook.ts";
import type { Preset } from "../material/Preset.ts";
import type { UserSettings } from "../material/UserSettings.ts";
import type { VariableValue } from "../macros/MacroScene.ts";
import type { TokenCounter } from "../tokens/TokenCounter.ts";
import type { Activated } from "../worldinfo/Scan.ts";
import type { TimedState } from "../worldinfo/TimedEffects.ts";
import type { PromptComponent } from "@cahier/domain/prompt/PromptComponent";

export type PromptRole = "system" | "user" | "assistant";

/** `part` names what the message came from: a block's identifier, or a message's place in the history or the examples. */
export interface PromptMessage {
  readonly role: PromptRole;
  readonly content: string;
  readonly name?: string;
  readonly part: string;
}

/**
 * Texts of an agent, taken as they are; blank ones stand nowhere. The preset may give them a place and a role. Without one
 * the system prompt stands first, as the system; the task stands right behind the system prompt, as the user.
 */
export interface AgentTexts {
  readonly agentSystemPrompt: string;
  readonly agentTask: string;
}

export interface AssemblyInput {
  readonly preset: Preset;
  /**
   * `whole` keeps only whole turns of the chat, and leaves out a block without room unless it is an agent's text. Else what has
   * no room is treated as SillyTavern treats it: single messages are left out, and a block without room is a failure.
   */
  readonly turns: "whole" | "single";
  readonly settings: UserSettings;
  readonly card: CardSheet;
  /** The card's file name without its ending, and the tags that the user gave the character. */
  readonly cardFileName: string;
  readonly tags: ReadonlyArray<string>;
  /** Names of a group's members; empty outside a group. */
  readonly group: ReadonlyArray<string>;
  readonly chat: ReadonlyArray<ChatLine>;
  readonly metadata: ChatMetadata;
  readonly globalVariables: ReadonlyMap<string, VariableValue>;
  /** By the names that settings, card, chat and persona link to. */
  readonly lorebooks: ReadonlyMap<string, Lorebook>;
  readonly generationType: string;
  /** -1 the whole history, else so many of its last messages. */
  readonly historyMessages: number;
  /** Whether activated lore enters the prompt; it is told in the result either way. */
  readonly includesWorldInfo: boolean;
  /** SillyTavern scans a persona at depth from the second request after a chat was opened. */
  readonly scansPersonaAtDepth: boolean;
  readonly agent: AgentTexts;
  readonly model: string;
  readonly counter: TokenCounter;
  /** Milliseconds since 1970, and how far local time is ahead of UTC. */
  readonly now: number;
  readonly zoneMinutes: number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Makes `{{pick}}` choose alike within a chat. */
  readonly seed: string;
}

/** What did not fit though the prompt cannot do without it: a block's identifier. Nothing after it was added. */
export interface Assembled {
  readonly messages: ReadonlyArray<PromptMessage>;
  readonly components: ReadonlyArray<PromptComponent>;
  readonly requiredOverBudget: string | null;
  /** Tokens of all messages, with those of the primed reply. */
  readonly tokens: number;
  /** How they were counted; without `isExact` all tokens are an estimate. */
  readonly tokenizer: { readonly name: string; readonly isExact: boolean };
  readonly activated: ReadonlyArray<Activated>;
  readonly timed: TimedState;
  readonly variables: ReadonlyMap<string, VariableValue>;
}
