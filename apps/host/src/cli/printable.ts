/**
 * Text that came from a model, a server or a file, made safe to print between our own words.
 */

/** One line, in which control and direction characters are shown and not obeyed: nothing can command the terminal. */
export const printable = (text: string): string =>
  text.replaceAll(/\s+/g, " ").trim().replaceAll(control, show).toWellFormed();

/** Lines of a text, in which other control and direction characters than tabs are shown and not obeyed. */
export const printableLines = (text: string): string =>
  text.replaceAll(/[^\t\n]+/g, (part) => part.replaceAll(control, show)).toWellFormed();

/** How many columns a text takes on a terminal. */
export const widthOf = (text: string): number => measured(text).reduce((sum, { width }) => sum + width, 0);

/** The beginning of a text, at most `columns` wide on a terminal, cut between characters as a reader sees them. */
export const shortened = (text: string, columns: number): string => {
  const pieces = measured(text);
  return widthOf(text) <= columns ? text : `${fitting(pieces, columns - 1).trimEnd()}…`;
};

/** A text as lines at most `columns` wide on a terminal, broken at spaces where there are any. */
export const wrapped = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = [];
  let rest = text;
  for (;;) {
    const line = fitting(measured(rest), columns);
    if (line.length === rest.length || line === "") return [...lines, rest];
    const space = rest[line.length] === " " ? line.length : line.lastIndexOf(" ");
    const end = space > 0 ? space : line.length;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
};

interface Piece {
  readonly segment: string;
  readonly width: number;
}

const measured = (text: string): ReadonlyArray<Piece> =>
  [...graphemes.segment(text)].map(({ segment }) => ({ segment, width: wide.test(segment) ? 2 : 1 }));

/** What fits into so many columns. */
const fitting = (pieces: ReadonlyArray<Piece>, columns: number): string => {
  const kept: Array<string> = [];
  let used = 0;
  for (const { segment, width } of pieces) {
    used += width;
    if (used > columns) break;
    kept.push(segment);
  }
  return kept.join("");
};

/** Control characters, and those that change the direction in which the rest of a line is read. */
const control = /\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Unicode has pictures of the first 32 and of delete. */
const show = (character: string): string => {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "␡" : "�";
};

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** East Asian wide and fullwidth forms, and emoji, take two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;
