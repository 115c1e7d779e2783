/**
 * The parts of a prompt, those left out included, and why.
 */

import type { ComponentKind, PromptComponent } from "@cahier/domain/prompt/PromptComponent";

/** The kind and source of a block of the order. */
export const ofBlock = (identifier: string): { readonly kind: ComponentKind; readonly source: string } =>
  known[identifier] ?? { kind: "preset", source: "preset" };

/** The same parts under identifiers of their own: of two with one name the later gets a number. */
export const distinct = (components: ReadonlyArray<PromptComponent>): ReadonlyArray<PromptComponent> => {
  const taken = new Set<string>();
  return components.map((component) => {
    let identifier = component.identifier;
    for (let number = 2; taken.has(identifier); number += 1) identifier = `${component.identifier} (${number})`;
    taken.add(identifier);
    return identifier === component.identifier ? component : { ...component, identifier };
  });
};

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
  newMainChat: { kind: "preset", source: "preset" },
};
