/**
 * What of a command's output goes back.
 */
import type { ShellStream } from "@cahier/ports/Shell";

/** The beginning of a text, at most `limit` bytes of UTF-8 and whole characters. */
export const beginning = (text: string, limit: number): ShellStream =>
  text.length * 3 <= limit ? { text, truncated: false } : beginningOf(Buffer.from(text, "utf8"), limit);

/** The same of bytes. */
export const beginningOf = (bytes: Buffer, limit: number): ShellStream =>
  bytes.length <= limit
    ? { text: bytes.toString("utf8"), truncated: false }
    : { text: bytes.subarray(0, wholeCharacters(bytes, limit)).toString("utf8"), truncated: true };

/** The longest length up to `limit` that does not cut a character: its further bytes are 10xxxxxx. */
const wholeCharacters = (bytes: Uint8Array, limit: number): number => {
  const back = [0, 1, 2, 3].find((step) => ((bytes[limit - step] ?? 0) & 0xc0) !== 0x80);
  return limit - (back ?? 0);
};
