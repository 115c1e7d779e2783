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

/**
 * The matching lines around the rarest words of `query`, by their number: enough to find the best passage of a long
 * text without looking at every line that holds a common word. Only lines near a word that stands there as the query
 * writes it are found. `reach` is how many lines before and after one are looked at.
 */
export const matchRareLines = (text: string, query: string, reach: number): ReadonlyMap<number, LineMatch> => {
  const terms = parse(query);
  const starts = lineStarts(text);
  const near = new Set<number>();
  for (const places of rarestFirst(text, asWritten(query, terms))) {
    if (near.size >= mostNear) break;
    for (const place of places) {
      const line = lineIndex(starts, place);
      for (let at = Math.max(0, line - reach); at <= Math.min(starts.length - 1, line + reach); at += 1) near.add(at);
    }
  }
  const matches = new Map<number, LineMatch>();
  for (const [first, last] of stretchesOf(near)) {
    const part = text.slice(starts[first], starts[last + 1] ?? text.length);
    for (const [line, match] of matchLines(part, terms)) matches.set(line + first, { ...match, line: line + first });
  }
  return matches;
};

/** Lines that are looked at, about, and words that are looked for. */
const mostNear = 400;
const mostSought = 6;

/** The longest terms in the letters of the query. */
const asWritten = (query: string, { words }: SearchTerms): ReadonlyArray<string> => {
  const lower = query.toLowerCase();
  return words
    .map(({ text }) => {
      const at = lower.length === query.length ? lower.indexOf(text) : -1;
      return at < 0 ? text : query.slice(at, at + text.length);
    })
    .toSorted((one, other) => other.length - one.length)
    .slice(0, mostSought);
};

/** Where each word that occurs stands, the rarest first; of a common one only the beginning. */
const rarestFirst = (text: string, words: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<number>> =>
  words
    .map((word) => {
      const places: Array<number> = [];
      for (let at = text.indexOf(word); at >= 0 && places.length < mostNear; at = text.indexOf(word, at + 1))
        places.push(at);
      return places;
    })
    .filter((places) => places.length > 0)
    .toSorted((one, other) => one.length - other.length);

/** First and last of each run of neighbours. */
const stretchesOf = (lines: ReadonlySet<number>): ReadonlyArray<readonly [number, number]> => {
  const stretches: Array<[number, number]> = [];
  for (const line of [...lines].toSorted((one, other) => one - other)) {
    const last = stretches.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else stretches.push([line, line]);
  }
  return stretches;
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
  if (!beyondAscii.test(lower)) return lower;
  return marks.test(lower) ? caseless(lower) : lower.replaceAll(partsBeyondAscii, caseless);
};

/** One form for all cases of a letter: ß and SS, σ and ς. */
const caseless = (text: string): string => text.normalize("NFKC").toUpperCase().toLowerCase();

/** ASCII is its own normal form, but for a letter or sign that one of these marks follows. */
const marks = /[\u0300-\u036f]/;
// eslint-disable-next-line no-control-regex -- the range is ASCII
const [beyondAscii, partsBeyondAscii] = [/[^\u0000-\u007f]/, /[^\u0000-\u007f]+/g];

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
