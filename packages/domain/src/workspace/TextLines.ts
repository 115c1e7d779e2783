/**
 * The lines of a text and the two ways to name a part of it: by lines and by characters.
 *
 * Owns what a line is. A line ends with LF or CRLF, which belong to it; a lone CR and U+2028 do not end one; a final
 * line end opens no further line, so an empty text has no lines. Lines count from 1, characters (Unicode scalars)
 * from 0. Does not own the limits of a read (`ReadRange`).
 */
import { offsetOfScalar, scalarLength } from "./Utf8.ts";

/** A text with the UTF-16 offset at which each of its lines starts. */
export interface TextLines {
  readonly text: string;
  readonly starts: ReadonlyArray<number>;
}

/** A part of a text: UTF-16 offsets, the second exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** The lines of `text`; joined, they give the text again. */
export const make = (text: string): TextLines => {
  const starts: Array<number> = [];
  for (let start = 0; start < text.length;) {
    starts.push(start);
    const end = text.indexOf("\n", start);
    start = end < 0 ? text.length : end + 1;
  }
  return { text, starts };
};

/** How many lines there are. */
export const count = (lines: TextLines): number => lines.starts.length;

/** The line that the UTF-16 `offset` lies in, from 1; the last line for the end of the text, 0 without lines. */
export const lineAt = (lines: TextLines, offset: number): number => {
  let low = 0;
  let high = lines.starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((lines.starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The span of the lines `first` to `last` inclusive, with their line ends; cut to the lines that exist. */
export const spanOfLines = (lines: TextLines, first: number, last: number): TextSpan => ({
  start: lines.starts[Math.max(first, 1) - 1] ?? lines.text.length,
  end: lines.starts[Math.max(last, 0)] ?? lines.text.length,
});

/** The span of `length` characters from the character `start`; cut to the characters that exist. */
export const spanOfChars = (text: string, start: number, length: number): TextSpan => {
  const from = offsetOfScalar(text, start);
  return { start: from, end: offsetOfScalar(text, length, from) };
};

/** The number of the character at a UTF-16 offset. */
export const charAt = (text: string, offset: number): number => scalarLength(text, 0, offset);

/** The line `number` without its line end; empty for a line that does not exist. */
export const content = (lines: TextLines, number: number): string => {
  const { start, end } = spanOfLines(lines, number, number);
  const line = lines.text.slice(start, end);
  return line.endsWith("\r\n") ? line.slice(0, -2) : line.endsWith("\n") ? line.slice(0, -1) : line;
};

/**
 * The part of the text in `span` with a line number before each line (right-aligned, a tab after it), as a model
 * reads it. A part that begins or ends inside a line shows that part of the line.
 */
export const numbered = (lines: TextLines, span: TextSpan): string => {
  if (span.start >= span.end) return "";
  const first = lineAt(lines, span.start);
  const last = lineAt(lines, span.end - 1);
  const width = String(last).length;
  const shown: Array<string> = [];
  for (let number = first; number <= last; number++) {
    const line = spanOfLines(lines, number, number);
    const part = lines.text.slice(Math.max(line.start, span.start), Math.min(line.end, span.end));
    shown.push(`${String(number).padStart(width)}\t${part.replace(/\r?\n$/, "")}`);
  }
  return shown.join("\n");
};
