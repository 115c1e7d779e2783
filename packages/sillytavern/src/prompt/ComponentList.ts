/**
 * The parts of a prompt, those left out included, and why.
 */

import type { ComponentKind } from "@cahier/domain/prompt/PromptComponent";

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
