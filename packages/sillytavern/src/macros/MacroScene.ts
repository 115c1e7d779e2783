/**
 * What macros speak of: names, card, chat, sizes, variables, the clock and chance.
 */

export type VariableValue = string | number;

/** Changed by macros; a copy belongs to whoever makes a prompt. */
export interface Variables {
  readonly local: Map<string, VariableValue>;
  readonly global: Map<string, VariableValue>;
}

/** A message as macros see it: `swipes` is how many it has, `swipe` which is shown, counted from 1; null without swipes. */
export interface SceneMessage {
  readonly text: string;
  readonly isUser: boolean;
  readonly isSystem: boolean;
  readonly swipes: number | null;
  readonly swipe: number | null;
  /** Milliseconds since 1970, or null where the chat does not say. */
  readonly sentAt: number | null;
}

/** The card's texts, with their macros replaced. */
export interface SceneCard {
  readonly description: string;
  readonly personality: string;
  readonly scenario: string;
  readonly persona: string;
  readonly exampleMessages: string;
  readonly systemPrompt: string;
  readonly postHistoryInstructions: string;
  readonly depthPrompt: string;
  readonly creatorNotes: string;
  readonly version: string;
  readonly firstMessage: string;
}

export interface MacroScene {
  readonly user: string;
  readonly character: string;
  /** The members of a group; the character alone outside a group. */
  readonly group: ReadonlyArray<string>;
  readonly card: SceneCard;
  readonly messages: ReadonlyArray<SceneMessage>;
  /** In tokens. */
  readonly context: number;
  readonly response: number;
  readonly model: string;
  readonly generationType: string;
  readonly outlets: ReadonlyMap<string, ReadonlyArray<string>>;
  readonly authorsNote: string;
  readonly variables: Variables;
  /** Milliseconds since 1970, and how far local time is ahead of UTC. */
  readonly now: number;
  readonly zoneMinutes: number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Makes `{{pick}}` choose alike within a chat. */
  readonly seed: string;
}
