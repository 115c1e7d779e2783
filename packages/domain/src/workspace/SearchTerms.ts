/**
 * The terms of a search and where they stand in a text.
 *
 * Owns what a term is and when a line matches. Letters are compared without case and width (Unicode NFKC, lower
 * case). A run of letters and digits is a term; Chinese, kana and hangul, which are written without spaces, give each
 * pair of neighbours as a term. A query without letters is searched as it is written.
 */
import { isIdeograph, isLetter, isMark } from "./TextMetrics.ts";
import { scalarLength } from "./Utf8.ts";

/** Most terms of a query; further ones are ignored. */
export const maxTerms = 64;

/** Heaviest weight of a term: its length counts up to this. */
export const maxWeight = 8;

export interface SearchTerm {
  readonly text: string;
  /** The term is a word of letters, so that standing inside a longer word counts half. */
  readonly isWord: boolean;
  readonly weight: number;
}

export interface SearchTerms {
  readonly words: ReadonlyArray<SearchTerm>;
  /** The whole query, folded; what a line is worth that contains it when there is more than one term. */
  readonly phrase: string;
  readonly phraseBonus: number;
}

/** What one line matches. `weights` by the index of the term; `position` 0 to 1: where the first match begins. */
export interface LineMatch {
  readonly line: number;
  readonly own: number;
  readonly weights: ReadonlyMap<number, number>;
  readonly phrase: boolean;
  readonly position: number;
}

/** The terms of a query, in its order, each once; none for a query of white space. */
export const parse = (query: string): SearchTerms => {
  const phrase = fold(query).trim();
  const found = new Map<string, SearchTerm>();
  for (const term of termsOf(phrase)) {
    if (found.size === maxTerms) break;
    if (!found.has(term.text)) found.set(term.text, term);
  }
  const words = [...found.values()];
  return { words, phrase, phraseBonus: words.length > 1 ? maxWeight : 0 };
};

/** The matching lines of a text by their number (from 1). */
export const matchLines = (text: string, terms: SearchTerms): ReadonlyMap<number, LineMatch> => {
  const folded = fold(text);
  const starts = lineStarts(folded);
  const drafts = new Map<number, Draft>();
  for (const [index, term] of terms.words.entries()) matchTerm(folded, starts, term, index, drafts);
  if (terms.phraseBonus > 0 && drafts.size > 0) matchPhrase(folded, starts, terms.phrase, drafts);
  return drafts;
};

interface Draft extends LineMatch {
  own: number;
  phrase: boolean;
  position: number;
  readonly weights: Map<number, number>;
}

/** Folding keeps every line end, so that lines of the folded text are those of the text. */
const fold = (text: string): string => {
  const lower = text.toLowerCase();
  // eslint-disable-next-line no-control-regex -- the range is ASCII
  return /^[\u0000-\u007f]*$/.test(lower) ? lower : lower.normalize("NFKC").toLowerCase();
};

const lineStarts = (text: string): ReadonlyArray<number> => {
  const starts = [0];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return starts;
};

/** The index in `starts` of the line that holds `offset`. */
const lineIndex = (starts: ReadonlyArray<number>, offset: number): number => {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

const matchTerm = (
  text: string,
  starts: ReadonlyArray<number>,
  term: SearchTerm,
  index: number,
  drafts: Map<number, Draft>,
): void => {
  let from = 0;
  for (let found = text.indexOf(term.text, from); found >= 0; found = text.indexOf(term.text, from)) {
    const line = lineIndex(starts, found);
    const start = starts[line] ?? 0;
    const end = starts[line + 1] ?? text.length;
    const isWhole = !term.isWord || standsAlone(text, found, found + term.text.length);
    const weight = isWhole ? term.weight : term.weight / 2;
    note(drafts, line + 1, index, weight, (found - start) / Math.max(end - start, 1));
    // A line at its best needs no further look; else a later place in it may be the whole word.
    from = isWhole ? end : found + term.text.length;
  }
};

const note = (drafts: Map<number, Draft>, line: number, term: number, weight: number, position: number): void => {
  const draft = drafts.get(line);
  if (draft === undefined) {
    drafts.set(line, { line, own: weight, weights: new Map([[term, weight]]), phrase: false, position });
    return;
  }
  const before = draft.weights.get(term) ?? 0;
  draft.position = Math.min(draft.position, position);
  if (weight <= before) return;
  draft.weights.set(term, weight);
  draft.own += weight - before;
};

const matchPhrase = (text: string, starts: ReadonlyArray<number>, phrase: string, drafts: Map<number, Draft>): void => {
  let from = 0;
  for (let found = text.indexOf(phrase, from); found >= 0; found = text.indexOf(phrase, from)) {
    const line = lineIndex(starts, found);
    const draft = drafts.get(line + 1);
    if (draft !== undefined && !draft.phrase) {
      draft.phrase = true;
      draft.own += maxWeight;
    }
    from = Math.max(starts[line + 1] ?? text.length, found + phrase.length);
  }
};

const standsAlone = (text: string, start: number, end: number): boolean => {
  if (end < text.length && isPartOfWord(text.codePointAt(end) ?? 0)) return false;
  if (start === 0) return true;
  const unit = text.charCodeAt(start - 1);
  const isLow = unit >= 0xdc00 && unit <= 0xdfff && start > 1;
  return !isPartOfWord(text.codePointAt(isLow ? start - 2 : start - 1) ?? 0);
};

const isPartOfWord = (scalar: number): boolean => isLetter(scalar) || isMark(scalar);

const termsOf = (phrase: string): ReadonlyArray<SearchTerm> => {
  const terms: Array<SearchTerm> = [];
  let run = "";
  let ideographs: Array<string> = [];
  const flush = () => {
    if (run !== "") terms.push(word(run));
    if (ideographs.length === 1) terms.push(literal(ideographs.join("")));
    for (let index = 1; index < ideographs.length; index++) {
      terms.push(literal(`${ideographs[index - 1]}${ideographs[index]}`));
    }
    run = "";
    ideographs = [];
  };
  for (const character of phrase) {
    const scalar = character.codePointAt(0) ?? 0;
    if (isIdeograph(scalar)) {
      if (run !== "") flush();
      ideographs.push(character);
    } else if (isLetter(scalar) || (isMark(scalar) && run !== "")) {
      if (ideographs.length > 0) flush();
      run += character;
    } else flush();
  }
  flush();
  return terms.length === 0 && phrase !== "" ? [literal(phrase)] : terms;
};

const word = (text: string): SearchTerm => ({ text, isWord: true, weight: weightOf(text) });

const literal = (text: string): SearchTerm => ({ text, isWord: false, weight: weightOf(text) });

const weightOf = (text: string): number => Math.min(maxWeight, scalarLength(text));
