/**
 * The parts of a prompt, those left out included, and why.
 */

export type ComponentKind =
  | "system"
  | "task"
  | "preset"
  | "character"
  | "persona"
  | "worldInfo"
  | "authorsNote"
  | "examples"
  | "history";

/** Why a part is not in the prompt. */
export type SkipReason = "disabled" | "otherGenerationType" | "empty" | "overBudget" | "historyLimit" | "excluded";

/**
 * `tokens` is null where a part was left out uncounted. `source` says where its text is from: `preset`, `card`, `persona`,
 * `profile`, `task`, `chat:current#<index>`, `worldinfo:<world>#<uid>`.
 */
export interface PromptComponent {
  readonly identifier: string;
  readonly kind: ComponentKind;
  readonly source: string;
  readonly tokens: number | null;
  readonly skipped: SkipReason | null;
}

/** The kind and source of a block of the order. */
export const ofBlock = (identifier: string): { readonly kind: ComponentKind; readonly source: string } =>
  known[identifier] ?? { kind: "preset", source: "preset" };

const known: Readonly<Record<string, { readonly kind: ComponentKind; readonly source: string }>> = {
  agentSystemPrompt: { kind: "system", source: "profile" },
  agentTask: { kind: "task", source: "task" },
  worldInfoBefore: { kind: "worldInfo", source: "worldinfo" },
  worldInfoAfter: { kind: "worldInfo", source: "worldinfo" },
  charDescription: { kind: "character", source: "card" },
  charPersonality: { kind: "character", source: "card" },
  scenario: { kind: "character", source: "card" },
  personaDescription: { kind: "persona", source: "persona" },
  authorsNote: { kind: "authorsNote", source: "chat" },
  dialogueExamples: { kind: "examples", source: "card" },
  chatHistory: { kind: "history", source: "chat" },
};
