/**
 * What of a command's output goes back.
 */
import type { ShellStream } from "@cahier/ports/Shell";

/** The beginning of a text, at most `limit` bytes of UTF-8 and whole characters. */
export const beginning = (text: string, limit: number): ShellStream => {
  if (text.length * 3 <= limit) return { text, truncated: false };
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= limit) return { text, truncated: false };
  return { text: bytes.subarray(0, wholeCharacters(bytes, limit)).toString("utf8"), truncated: true };
};

/** The longest length up to `limit` that does not cut a character: its further bytes are 10xxxxxx. */
const wholeCharacters = (bytes: Uint8Array, limit: number): number => {
  const back = [0, 1, 2, 3].find((step) => ((bytes[limit - step] ?? 0) & 0xc0) !== 0x80);
  return limit - (back ?? 0);
};
