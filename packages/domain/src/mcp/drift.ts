/**
 * How a tool differs from what was permitted.
 *
 * Owns which parts count and how a difference is shown. Does not own what follows from it: the permission is paused.
 */
import { canonicalJson } from "../tool/canonicalArguments.ts";
import type { McpToolDefinition } from "./McpToolDefinition.ts";

/** The parts of a definition, in the order in which changes are told. */
export const definitionParts = ["title", "description", "inputSchema", "outputSchema", "annotations"] as const;
export type DefinitionPart = (typeof definitionParts)[number];

/**
 * One part that is another now. `before` and `after` are the passages in which the two differ first, shortened; null where the
 * part is not stated at all.
 */
export interface DefinitionChange {
  readonly part: DefinitionPart;
  readonly before: string | null;
  readonly after: string | null;
}

/** Everything in which `after` differs from `before`; empty where both say the same, in whatever order of keys. */
export const drift = (before: McpToolDefinition, after: McpToolDefinition): ReadonlyArray<DefinitionChange> =>
  definitionParts.flatMap((part) => {
    if (isWrittenAlike(before[part], after[part])) return [];
    const [one, other] = [textOf(before, part), textOf(after, part)];
    if (one === other) return [];
    const from = one === null || other === null ? 0 : firstDifference(one, other);
    return [{ part, before: passage(one, from), after: passage(other, from) }];
  });

/** The changes in a sentence each, for people. */
export const describeDrift = (changes: ReadonlyArray<DefinitionChange>): string =>
  changes.map(({ after, before, part }) => `Its ${words[part]} was ${said(before)} and is ${said(after)}.`).join(" ");

const words: Readonly<Record<DefinitionPart, string>> = {
  title: "title",
  description: "description",
  inputSchema: "input schema",
  outputSchema: "output schema",
  annotations: "list of hints",
};

const said = (text: string | null): string => (text === null ? "not stated" : JSON.stringify(text));

/** Most definitions have not changed at all, and their text tells it sooner than their meaning does. */
const isWrittenAlike = (one: unknown, other: unknown): boolean =>
  one === other || (one !== undefined && other !== undefined && JSON.stringify(one) === JSON.stringify(other));

const textOf = (definition: McpToolDefinition, part: DefinitionPart): string | null => {
  const value = definition[part];
  if (value === undefined) return null;
  return typeof value === "string" ? value : canonicalJson({ ...value });
};

/** How much is shown of a part, and how much of it stands before the difference. */
const longestPassage = 160;
const lead = 40;

const firstDifference = (one: string, other: string): number => {
  const shorter = Math.min(one.length, other.length);
  for (let index = 0; index < shorter; index += 1) if (one[index] !== other[index]) return index;
  return shorter;
};

const passage = (text: string | null, difference: number): string | null => {
  if (text === null) return null;
  const from = Math.max(0, difference - lead);
  const end = from + longestPassage;
  return `${from === 0 ? "" : "…"}${text.slice(from, end).toWellFormed()}${end >= text.length ? "" : "…"}`;
};
