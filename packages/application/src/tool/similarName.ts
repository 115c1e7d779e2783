/**
 * The name that a misspelt one was meant to be.
 */

/** The candidate that resembles `name` most, or undefined when none comes near. Of equal ones the first. */
export const similarName = (name: string, candidates: ReadonlyArray<string>): string | undefined => {
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = resemblance(name, candidate);
    if (distance <= tolerated(name, candidate) && (best === undefined || distance < best.distance))
      best = { candidate, distance };
  }
  return best?.candidate;
};

/** A third of the letters may differ, one in any case. */
const tolerated = (one: string, other: string): number =>
  Math.max(1, Math.floor(Math.max(one.length, other.length) / 3));

/** 0 for another spelling of the same words, less than 1 when one name is among the words of the other, else edits. */
const resemblance = (one: string, other: string): number => {
  const [words, otherWords] = [wordsOf(one), wordsOf(other)];
  const [plain, otherPlain] = [words.join(""), otherWords.join("")];
  if (plain === otherPlain) return 0;
  if (words.includes(otherPlain) || otherWords.includes(plain)) return 0.5;
  if (plain.length > longest || otherPlain.length > longest) return Number.POSITIVE_INFINITY;
  return edits(plain, otherPlain);
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
