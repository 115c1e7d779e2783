/**
 * The lines of a chat file as byte ranges, and edits of one line that leave all other bytes alone.
 *
 * Owns line ends: LF or CRLF, and whether the file's last line has one. Does not own what a line says.
 */

/** `number` is 1-based and counts blank lines; `end` is before the line end, `next` after it. */
export interface LineSpan {
  readonly number: number;
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** The lines that are not blank, in order. */
export const spans = (bytes: Uint8Array): ReadonlyArray<LineSpan> => {
  const found: Array<LineSpan> = [];
  let start = 0;
  for (let number = 1; start < bytes.length; number += 1) {
    const feed = bytes.indexOf(lineFeed, start);
    const next = feed === -1 ? bytes.length : feed + 1;
    const before = feed === -1 ? bytes.length : feed;
    const end = before > start && feed !== -1 && bytes[before - 1] === carriageReturn ? before - 1 : before;
    if (!isBlank(bytes, start, end)) found.push({ number, start, end, next });
    start = next;
  }
  return found;
};

/** The text of a line; bytes that are no UTF-8 become replacement characters. */
export const text = (bytes: Uint8Array, span: LineSpan): string => lenient.decode(bytes.subarray(span.start, span.end));

/** The text of a line, or null if encoding it again would not give the same bytes. */
export const exactText = (bytes: Uint8Array, span: LineSpan): string | null => {
  const slice = bytes.subarray(span.start, span.end);
  const decoded = lenient.decode(slice);
  return Buffer.from(decoded).equals(slice) ? decoded : null;
};

/** The bytes with one line more at the end. The file ends with a line end afterwards exactly if it did before. */
export const append = (bytes: Uint8Array, line: string): Uint8Array => {
  const lineEnd = lineEndOf(bytes);
  const terminated = bytes.at(-1) === lineFeed;
  return splice(bytes, bytes.length, bytes.length, terminated ? line + lineEnd : lineEnd + line);
};

/** The bytes with another text in one line. */
export const replace = (bytes: Uint8Array, span: LineSpan, line: string): Uint8Array =>
  splice(bytes, span.start, span.end, line);

/** The bytes without one line: undoes `append`. */
export const remove = (bytes: Uint8Array, span: LineSpan): Uint8Array => {
  if (span.next > span.end || span.start === 0) return splice(bytes, span.start, span.next, "");
  const feed = span.start - 1;
  const from = feed > 0 && bytes[feed - 1] === carriageReturn ? feed - 1 : feed;
  return splice(bytes, from, span.end, "");
};

const splice = (bytes: Uint8Array, start: number, end: number, piece: string): Uint8Array =>
  Buffer.concat([bytes.subarray(0, start), Buffer.from(piece), bytes.subarray(end)]);

/** The line end that the last terminated line has. */
const lineEndOf = (bytes: Uint8Array): string => {
  const feed = bytes.lastIndexOf(lineFeed);
  return feed > 0 && bytes[feed - 1] === carriageReturn ? "\r\n" : "\n";
};

const isBlank = (bytes: Uint8Array, start: number, end: number): boolean => {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x09 && byte !== carriageReturn) return false;
  }
  return true;
};

const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
