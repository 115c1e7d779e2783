/**
 * The passage of a file that resembles a text most: for an answer to an edit that does not fit.
 */
import * as SearchTerms from "./SearchTerms.ts";
import * as TextLines from "./TextLines.ts";

/** Lines `first` to `last` (from 1), and the lines with their numbers as a read shows them. */
export interface Passage {
  readonly first: number;
  readonly last: number;
  readonly text: string;
}

/** Most lines that are shown, and most UTF-16 units of one of them. */
const mostLines = 12;
const longestLine = 300;

/** A longer text is not scored line by line. */
const longText = 100_000;

/**
 * The passage of as many lines as `wanted` has, in which most of its words stand; undefined when less than a fifth of
 * their weight does.
 */
export const nearestPassage = (content: string, wanted: string): Passage | undefined => {
  const terms = SearchTerms.parse(wanted);
  const size = Math.max(1, TextLines.count(TextLines.make(wanted.trim())));
  const matches =
    content.length < longText
      ? SearchTerms.matchLines(content, terms)
      : SearchTerms.matchRareLines(content, wanted, Math.min(size, mostLines));
  if (matches.size === 0) return undefined;
  const lines = TextLines.make(content);
  let best = { first: 0, score: 0, own: 0 };
  for (const match of matches.values()) {
    // A passage begins with a line that matches: the lines before it would add nothing.
    const score = scoreOf(matches, match.line, size);
    if (score > best.score || (score === best.score && match.own > best.own))
      best = { first: match.line, score, own: match.own };
  }
  const whole = terms.words.reduce((sum, { weight }) => sum + weight, 0);
  if (best.score * 5 < whole) return undefined;
  const last = Math.min(best.first + Math.min(size, mostLines) - 1, TextLines.count(lines));
  return { first: best.first, last, text: shown(lines, best.first, last) };
};

const scoreOf = (matches: ReadonlyMap<number, SearchTerms.LineMatch>, first: number, size: number): number => {
  const weights = new Map<number, number>();
  for (let line = first; line < first + Math.min(size, mostLines); line += 1)
    for (const [term, weight] of matches.get(line)?.weights ?? [])
      weights.set(term, Math.max(weights.get(term) ?? 0, weight));
  return [...weights.values()].reduce((sum, weight) => sum + weight, 0);
};

const shown = (lines: TextLines.TextLines, first: number, last: number): string =>
  TextLines.numbered(lines, TextLines.spanOfLines(lines, first, last))
    .split("\n")
    .map((line) => (line.length > longestLine ? `${line.slice(0, longestLine).toWellFormed()}…` : line))
    .join("\n");
