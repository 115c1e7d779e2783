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

/**
 * The parts in the order in which they are sent. Of what is left out, older messages of the chat stand before those that are sent,
 * and what has no place in the prompt stands at its end.
 */
export const inOrderSent = (
  components: ReadonlyArray<PromptComponent>,
  sent: ReadonlyArray<{ readonly part: string }>,
): ReadonlyArray<PromptComponent> => {
  const places = new Map<string, number>();
  for (const [place, { part }] of sent.entries()) {
    const told = partOf(part);
    if (!places.has(told)) places.set(told, place);
  }
  const chatBegins = Math.min(
    ...components.flatMap(({ identifier, kind }) =>
      kind === "history" ? [places.get(identifier) ?? sent.length] : [],
    ),
    sent.length,
  );
  const placeOf = ({ identifier, kind }: PromptComponent): number =>
    places.get(identifier) ?? (kind === "history" ? chatBegins - 0.5 : sent.length);
  return components.toSorted(
    (one, other) =>
      placeOf(one) - placeOf(other) ||
      (one.kind === "history" && other.kind === "history" ? chatIndexOf(one) - chatIndexOf(other) : 0),
  );
};

/** The messages of one example are one part. */
const partOf = (part: string): string => part.replace(/^(dialogueExamples \d+)-\d+$/, "$1");

/** Which message of the chat a part is; what is none comes after those. */
const chatIndexOf = ({ source }: PromptComponent): number =>
  source.startsWith(chatSource) ? Number(source.slice(chatSource.length)) : Number.MAX_SAFE_INTEGER;

const chatSource = "chat:current#";

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
