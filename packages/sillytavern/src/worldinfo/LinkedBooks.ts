/**
 * Which books take part in a scan, and the order of their entries.
 */
import type { LoreEntry } from "./LoreEntry.ts";

/** Names of books: of all chats, of the character (its own, then others), of the chat, of the persona; empty for none. */
export interface Links {
  readonly everywhere: ReadonlyArray<string>;
  readonly character: ReadonlyArray<string>;
  readonly chat: string;
  readonly persona: string;
}

/** The entries of a book in ascending uid; an unknown name gives none. */
export type BookEntries = (name: string) => ReadonlyArray<LoreEntry>;

/**
 * The entries in the order in which a scan looks at them: the chat's, the persona's, then the others by strategy, each part
 * by descending order. A book that is linked twice counts once: for all chats before the chat before the persona before
 * the character.
 */
export const sorted = (links: Links, entriesOf: BookEntries, strategy: number): ReadonlyArray<LoreEntry> => {
  const everywhere = links.everywhere.flatMap(entriesOf);
  const isTaken = (name: string): boolean => name === "" || links.everywhere.includes(name);
  const character = [...new Set(links.character)]
    .filter((name) => !isTaken(name) && name !== links.chat && name !== links.persona)
    .flatMap(entriesOf);
  const chat = isTaken(links.chat) ? [] : entriesOf(links.chat);
  const persona = isTaken(links.persona) || links.persona === links.chat ? [] : entriesOf(links.persona);
  return [...byOrder(chat), ...byOrder(persona), ...byStrategy(strategy, everywhere, character)];
};

type Entries = ReadonlyArray<LoreEntry>;

const byStrategy = (strategy: number, everywhere: Entries, character: Entries): Entries => {
  if (strategy === 1) return [...byOrder(character), ...byOrder(everywhere)];
  if (strategy === 2) return [...byOrder(everywhere), ...byOrder(character)];
  return byOrder([...everywhere, ...character]);
};

/** Descending, stable. */
const byOrder = (entries: Entries): Entries => entries.toSorted((left, right) => right.order - left.order);
