/**
 * How long a text is, in the two measures that models and people are told: characters and words.
 *
 * Owns the rule of counting. Does not own bytes, which stay internal (`Utf8`).
 */
import * as Schema from "effect/Schema";

/** `chars` are Unicode scalars; `words` as `measure` counts them. */
export const TextMetrics = Schema.Struct({ chars: Schema.Int, words: Schema.Int });
export type TextMetrics = typeof TextMetrics.Type;

/** A count that can go on: `inWord` says whether the text so far ends within a word. */
export interface Tally extends TextMetrics {
  readonly inWord: boolean;
}

/** The count of no text. */
export const nothing: Tally = { chars: 0, words: 0, inWord: false };

/**
 * Counts a text in one pass. Each Chinese character, kana and hangul syllable is a word; so is each run of other
 * letters and digits. Combining marks belong to the letter before them. A surrogate without its partner is one
 * character and no word.
 */
export const measure = (text: string): TextMetrics => {
  const { chars, words } = tally(nothing, text);
  return { chars, words };
};

/** The count of a well-formed text that `before` has counted, with the well-formed `text` after it. */
export const tally = (before: Tally, text: string): Tally => {
  let { chars, inWord, words } = before;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    chars++;
    const kind = unit < 0x80 ? ascii(unit) : (unit & 0xf800) === 0xd800 ? astral(text, index) : classOf(unit);
    if (unit >= 0xd800 && unit <= 0xdbff && kind !== Lone) index++;
    if (kind === Mark) continue;
    if (kind === Ideograph || (kind === Letter && !inWord)) words++;
    inWord = kind === Letter;
  }
  return { chars, words, inWord };
};

/** True for a character that stands for a word of its own: Chinese, kana, hangul. */
export const isIdeograph = (scalar: number): boolean => classOf(scalar) === Ideograph;

/** True for a letter or digit that forms words with its neighbours. */
export const isLetter = (scalar: number): boolean => classOf(scalar) === Letter;

/** True for a mark that belongs to the character before it. */
export const isMark = (scalar: number): boolean => classOf(scalar) === Mark;

const Other = 1;
const Letter = 2;
const Ideograph = 3;
const Mark = 4;
const Lone = 5;

const ascii = (unit: number): number =>
  (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x30 && unit <= 0x39) ? Letter : Other;

/** The class of the pair at `index`, or `Lone` when there is no pair. */
const astral = (text: string, index: number): number => {
  const scalar = text.codePointAt(index) ?? 0;
  return scalar > 0xffff ? classOf(scalar) : Lone;
};

/** Classes that were looked up: a table for 16-bit characters, filled as texts use them. Zero is "not yet". */
const table = new Uint8Array(0x10000);

const classOf = (scalar: number): number => {
  if (scalar > 0xffff) return classify(scalar);
  const known = table[scalar];
  if (known !== undefined && known !== 0) return known;
  const found = classify(scalar);
  table[scalar] = found;
  return found;
};

const ideograph = /^(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/u;
const letter = /^[\p{Alphabetic}\p{N}]/u;
const mark = /^\p{M}/u;

const classify = (scalar: number): number => {
  if (scalar >= 0xd800 && scalar <= 0xdfff) return Lone;
  if (scalar >= 0x20000 && scalar <= 0x323af) return Ideograph;
  // Vowels and finals of decomposed hangul belong to the syllable that their consonant began.
  if (scalar >= 0x1160 && scalar <= 0x11ff) return Mark;
  const character = String.fromCodePoint(scalar);
  if (mark.test(character)) return Mark;
  if (ideograph.test(character)) return Ideograph;
  return letter.test(character) ? Letter : Other;
};
