/**
 * The name that a misspelt one was meant to be.
 */

/** The candidate that resembles `name` most, or undefined when none comes near. Of equal ones the first. */
export const similarName = (name: string, candidates: ReadonlyArray<string>): string | undefined => {
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = distanceBetween(name, candidate);
    if (distance !== undefined && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
};

/**
 * 0 for another spelling of the same words, less than 1 when one name is in the other or ends it, else edits;
 * undefined for names that are too far apart. Words that both begin or end with say nothing about the others.
 */
const distanceBetween = (one: string, other: string): number | undefined => {
  const [words, otherWords] = [wordsOf(one), wordsOf(other)];
  const [plain, otherPlain] = [words.join(""), otherWords.join("")];
  if (Math.max(plain.length, otherPlain.length) > longest) return undefined;
  if (plain === otherPlain) return 0;
  if (words.includes(otherPlain) || otherWords.includes(plain)) return 0.5;
  if (endsWith(words, otherWords) || endsWith(otherWords, words)) return 0.6;
  if (shortest(plain, otherPlain) >= 4 && (plain.endsWith(otherPlain) || otherPlain.endsWith(plain))) return 0.8;
  const [left, otherLeft] = differing(words, otherWords);
  const distance = edits(left, otherLeft);
  return distance <= Math.max(1, Math.floor(Math.max(left.length, otherLeft.length) / 3)) ? distance : undefined;
};

const endsWith = (words: ReadonlyArray<string>, end: ReadonlyArray<string>): boolean =>
  end.length > 0 && words.slice(-end.length).join(" ") === end.join(" ");

const shortest = (one: string, other: string): number => Math.min(one.length, other.length);

/** What is left of two names without the words that both begin and end with. */
const differing = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): readonly [string, string] => {
  const shorter = Math.min(one.length, other.length);
  const start = one.findIndex((word, index) => index >= shorter || word !== other[index]);
  const from = start < 0 ? shorter : start;
  let end = 0;
  while (end < shorter - from && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return [one.slice(from, one.length - end).join(""), other.slice(from, other.length - end).join("")];
};

/** Names are short: longer ones are not compared. */
const longest = 64;

const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

/** Insertions, deletions, exchanges and swaps of neighbours that turn one text into the other. */
const edits = (one: string, other: string): number => {
  let before: ReadonlyArray<number> = [];
  let row: ReadonlyArray<number> = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const same = one[at - 1] === other[to - 1];
      const isSwap = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      next.push(
        Math.min(
          (row[to] ?? 0) + 1,
          (next[to - 1] ?? 0) + 1,
          (row[to - 1] ?? 0) + (same ? 0 : 1),
          isSwap ? (before[to - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
};
