/**
 * A window into a text by characters (Unicode scalars), as tools read messages and entries that are not files.
 *
 * Owns the arithmetic and what is told about the part. Does not own limits nor refusals.
 */
import * as TextLines from "./TextLines.ts";
import * as TextMetrics from "./TextMetrics.ts";

/** From the character `startChar` (from 0) to `endChar` without. `truncated`: the part is not the whole text. */
export interface CharWindow {
  readonly text: string;
  readonly startChar: number;
  readonly endChar: number;
  readonly chars: number;
  readonly words: number;
  readonly totalChars: number;
  readonly totalWords: number;
  readonly truncated: boolean;
}

/** At most `length` characters from `start`, which must not lie behind the end; `total` are the text's own measures. */
export const cut = (text: string, total: TextMetrics.TextMetrics, start: number, length: number): CharWindow => {
  const span = TextLines.spanOfChars(text, start, length);
  const part = text.slice(span.start, span.end);
  const isWhole = part.length === text.length;
  const { chars, words } = isWhole ? total : TextMetrics.measure(part);
  return {
    text: part,
    startChar: start,
    endChar: start + chars,
    chars,
    words,
    totalChars: total.chars,
    totalWords: total.words,
    truncated: !isWhole,
  };
};
