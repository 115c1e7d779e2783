/**
 * Search by words over the texts of a workspace, as the `workspace.search_files` tool answers it.
 *
 * Owns limits, scoring and snippets. Does not own which files are searched: callers pass those that may be seen.
 */
import * as Result from "effect/Result";
import { refuse, type Refusal } from "./Refusal.ts";
import * as SearchTerms from "./SearchTerms.ts";
import * as TextLines from "./TextLines.ts";

export const defaultLimit = 20;
export const maxLimit = 50;
export const defaultContextLines = 2;
export const maxContextLines = 5;

/** Longest line of a snippet in UTF-16 units; longer ones are cut around their first match. */
export const maxSnippetLine = 300;

/** A file that may be searched; `sha256` is handed through to the hits. */
export interface SearchFile {
  readonly path: string;
  readonly text: string;
  readonly sha256: string;
}

export interface SearchRequest {
  readonly query: string;
  readonly limit?: number;
  readonly contextLines?: number;
}

/** Lines `startLine` to `endLine` (from 1, inclusive) of a file; `ref` names them for a later read. */
export interface SearchHit {
  readonly path: string;
  readonly score: number;
  readonly startLine: number;
  readonly endLine: number;
  readonly snippet: string;
  readonly sha256: string;
  readonly ref: string;
}

export type SearchRefusal = Refusal<
  | "workspace.search_limit_invalid"
  | "workspace.search_limit_too_large"
  | "workspace.search_context_too_large"
  | "tool.invalid_arguments"
>;

/**
 * The best places, best first; of one file no two hits share a line. A place scores the weights of the distinct terms
 * in it (half for a term inside a longer word), and more when the query stands there as written. Equal scores are
 * ordered by path, then line; the order of `files` does not matter.
 */
export const search = (
  files: ReadonlyArray<SearchFile>,
  request: SearchRequest,
): Result.Result<ReadonlyArray<SearchHit>, SearchRefusal> => {
  const limit = request.limit ?? defaultLimit;
  const context = request.contextLines ?? defaultContextLines;
  if (!Number.isSafeInteger(limit) || limit < 1) {
    return refuse("workspace.search_limit_invalid", "limit must be a whole number of at least 1.");
  }
  if (limit > maxLimit) {
    return refuse("workspace.search_limit_too_large", `limit is at most ${maxLimit}; narrow the query or the path.`);
  }
  if (!(context >= 0 && context <= maxContextLines)) {
    return refuse("workspace.search_context_too_large", `context_lines is 0 to ${maxContextLines}.`);
  }
  const terms = SearchTerms.parse(request.query);
  if (terms.words.length === 0) {
    return refuse("tool.invalid_arguments", "query is empty. Give the words to look for.");
  }
  const places = files.flatMap((file) => placesOf(file, terms, Math.trunc(context)));
  return Result.succeed(places.toSorted(byScore).slice(0, limit).map(toHit));
};

/** One candidate: the line that matched best and the window around it. */
interface Place {
  readonly file: SearchFile;
  readonly lines: TextLines.TextLines;
  readonly match: SearchTerms.LineMatch;
  readonly score: number;
  readonly first: number;
  readonly last: number;
}

/** The windows of one file that do not overlap, the best taken first. */
const placesOf = (file: SearchFile, terms: SearchTerms.SearchTerms, context: number): ReadonlyArray<Place> => {
  const matches = SearchTerms.matchLines(file.text, terms);
  if (matches.size === 0) return [];
  const lines = TextLines.make(file.text);
  const total = TextLines.count(lines);
  const candidates: Array<Place> = [];
  for (const match of matches.values()) {
    const first = Math.max(match.line - context, 1);
    const last = Math.min(match.line + context, total);
    candidates.push({ file, lines, match, first, last, score: scoreOf(matches, first, last, terms) });
  }
  const taken = new Set<number>();
  const places: Array<Place> = [];
  for (const candidate of candidates.toSorted(byScore)) {
    if (isTaken(taken, candidate)) continue;
    for (let line = candidate.first; line <= candidate.last; line++) taken.add(line);
    places.push(candidate);
    if (places.length === maxLimit) break;
  }
  return places;
};

const isTaken = (taken: ReadonlySet<number>, { first, last }: Place): boolean => {
  for (let line = first; line <= last; line++) if (taken.has(line)) return true;
  return false;
};

/** The distinct terms of the lines `first` to `last`, each at its best. */
const scoreOf = (
  matches: ReadonlyMap<number, SearchTerms.LineMatch>,
  first: number,
  last: number,
  terms: SearchTerms.SearchTerms,
): number => {
  const best = new Map<number, number>();
  let phrase = 0;
  for (let line = first; line <= last; line++) {
    const match = matches.get(line);
    if (match === undefined) continue;
    if (match.phrase) phrase = terms.phraseBonus;
    for (const [term, weight] of match.weights) best.set(term, Math.max(best.get(term) ?? 0, weight));
  }
  return [...best.values()].reduce((sum, weight) => sum + weight, phrase);
};

const byScore = (left: Place, right: Place): number => {
  if (left.score !== right.score) return right.score - left.score;
  if (left.match.own !== right.match.own) return right.match.own - left.match.own;
  if (left.file.path !== right.file.path) return left.file.path < right.file.path ? -1 : 1;
  return left.first - right.first;
};

const toHit = ({ file, lines, match, score, first, last }: Place): SearchHit => {
  const shown: Array<string> = [];
  for (let line = first; line <= last; line++) {
    shown.push(cut(TextLines.content(lines, line), line === match.line ? match.position : 0));
  }
  return {
    path: file.path,
    score,
    startLine: first,
    endLine: last,
    snippet: shown.join("\n"),
    sha256: file.sha256,
    ref: `workspace:${file.path}#L${first}-L${last}`,
  };
};

/** At most `maxSnippetLine` units of a line; `position` (0 to 1) is where its first match begins. */
const cut = (line: string, position: number): string => {
  if (line.length <= maxSnippetLine) return line;
  const wanted = Math.floor(line.length * position) - maxSnippetLine / 3;
  const start = Math.floor(Math.min(Math.max(wanted, 0), line.length - maxSnippetLine));
  const part = line.slice(start, start + maxSnippetLine);
  const whole = part.replace(/^[\udc00-\udfff]/, "").replace(/[\ud800-\udbff]$/, "");
  return `${start > 0 ? "…" : ""}${whole}${start + maxSnippetLine < line.length ? "…" : ""}`;
};
