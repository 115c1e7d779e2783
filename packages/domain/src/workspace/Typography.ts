/**
 * Different spellings of the same typography: which characters of a text count as equal when an edit is looked for.
 *
 * Owns the folding and the way back from folded text to its source. Does not own what becomes of a match
 * (`WritingPatch`). Curly and straight quotes, dashes of any length, ellipses and dots, kinds of space, full-width and
 * ASCII characters, composed and decomposed letters, CRLF and LF are folded; nothing else is.
 */

/** What was folded, in the words of an answer. */
export type FoldedKind =
  | "quotation marks"
  | "dashes"
  | "ellipses"
  | "spaces"
  | "full-width characters"
  | "letter forms"
  | "line ends";

/** The smallest piece that is compared: what it is folded to, and how it is written. */
export interface Unit {
  readonly folded: string;
  readonly source: string;
  readonly kind: FoldedKind | undefined;
}

/** A folded text with the places where its offsets and those of the source drift apart. */
export interface FoldedText {
  readonly text: string;
  /** Of each folded piece: where it starts in the folded text, where in the source, and both lengths. */
  readonly pieces: ReadonlyArray<readonly [folded: number, source: number, foldedLength: number, sourceLength: number]>;
}

/** Folds a whole text. */
export const fold = (text: string): FoldedText => {
  const parts: Array<string> = [];
  const pieces: Array<readonly [number, number, number, number]> = [];
  let from = 0;
  let length = 0;
  for (const match of text.matchAll(expressionFor(text))) {
    const source = match[0];
    const folded = foldPiece(source).folded;
    parts.push(text.slice(from, match.index), folded);
    length += match.index - from;
    if (source.length !== folded.length || folded.length > 1)
      pieces.push([length, match.index, folded.length, source.length]);
    length += folded.length;
    from = match.index + source.length;
  }
  parts.push(text.slice(from));
  return { text: parts.join(""), pieces };
};

/** The source offset of a folded offset; undefined within a piece, which is matched whole or not at all. */
export const sourceOffset = ({ pieces }: FoldedText, offset: number): number | undefined => {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pieces[middle]?.[0] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  const before = pieces[low - 1];
  if (before === undefined) return offset;
  const [folded, source, foldedLength, sourceLength] = before;
  const past = offset - folded - foldedLength;
  return past < 0 ? undefined : source + sourceLength + past;
};

/** The units of a short text. Two texts that fold to the same have the same number of them. */
export const units = (text: string): ReadonlyArray<Unit> => {
  const found: Array<Unit> = [];
  const plain = (part: string) => {
    for (const character of part) found.push({ folded: character, source: character, kind: kindOfPlain(character) });
  };
  let from = 0;
  for (const match of text.matchAll(expressionFor(text))) {
    plain(text.slice(from, match.index));
    found.push(foldPiece(match[0]));
    from = match.index + match[0].length;
  }
  plain(text.slice(from));
  return found;
};

const marks = "\\u0300-\\u036f\\u0653-\\u0655\\u093c\\u09bc\\u3099\\u309a\\u1161-\\u1175\\u11a8-\\u11c2";
const singles =
  "\\u2018-\\u201f\\u2032\\u2033\\u00a0\\u2002-\\u200a\\u202f\\u205f\\u3000-\\u3002\\uff01-\\uff5e\\u301c";
const dashes = "\\u2010-\\u2015\\u2212\\uff0d";
const common = `\\r\\n|[-${dashes}]{2,}|[${dashes}]|(?:\\.{3,}|\\u2026)+|[${singles}]`;

const plainExpression = new RegExp(common, "g");
const markedExpression = new RegExp(`[^${marks}\\r\\n][${marks}]+|${common}`, "gu");
const hasMarks = new RegExp(`[${marks}]`);

const expressionFor = (text: string): RegExp => (hasMarks.test(text) ? markedExpression : plainExpression);

const foldPiece = (source: string): Unit => {
  if (source === "\r\n") return { folded: "\n", source, kind: "line ends" };
  const unit = source.charCodeAt(0);
  if (unit === 0x2026 || source.startsWith("...")) return { folded: "\u2026", source, kind: "ellipses" };
  if (unit === 0x2d || (unit >= 0x2010 && unit <= 0x2015) || unit === 0x2212 || unit === 0xff0d)
    if (!hasMarks.test(source)) return { folded: "-", source, kind: "dashes" };
  if (source.length > 1) return { folded: source.normalize("NFC"), source, kind: "letter forms" };
  return foldSingle(source, unit);
};

const foldSingle = (source: string, unit: number): Unit => {
  if ((unit >= 0x2018 && unit <= 0x201b) || unit === 0x2032) return { folded: "'", source, kind: "quotation marks" };
  if ((unit >= 0x201c && unit <= 0x201f) || unit === 0x2033) return { folded: '"', source, kind: "quotation marks" };
  if (unit === 0x3001) return { folded: ",", source, kind: "full-width characters" };
  if (unit === 0x3002) return { folded: ".", source, kind: "full-width characters" };
  if (unit === 0x301c) return { folded: "~", source, kind: "full-width characters" };
  if (unit >= 0xff01 && unit <= 0xff5e)
    return { folded: String.fromCharCode(unit - 0xfee0), source, kind: "full-width characters" };
  return { folded: " ", source, kind: "spaces" };
};

/** Characters that are their own folded form but have other spellings. */
const kindOfPlain = (character: string): FoldedKind | undefined => {
  if (character === '"' || character === "'") return "quotation marks";
  if (character === "-") return "dashes";
  if (character === " ") return "spaces";
  if (character === "\n") return "line ends";
  if (character >= "!" && character <= "~") return "full-width characters";
  return character.normalize("NFD") === character ? undefined : "letter forms";
};
