/**
 * Texts of JSON that stand inside values which are written as a whole: what a provider sent goes back as it came.
 *
 * One `JSON.stringify` of many values costs less than many of one each, so a value holds a place instead of the text, and
 * the text is put there afterwards. No other value looks like a place: nothing here has a member without a name, and
 * inside a string its quotation marks would be escaped.
 */

import type { JsonBuffer } from "./JsonBuffer.ts";

/** The place of a text. */
export interface RawJson {
  readonly "": number;
}

export class RawTexts {
  #texts: Array<string> = [];
  #length = 0;

  /** A place for a text. */
  hold(text: string): RawJson {
    this.#length += text.length;
    return { "": this.#texts.push(text) - 1 };
  }

  /**
   * Appends the values joined by commas, with the texts in their places. `leave`: so many characters of the end stay out.
   */
  append(values: ReadonlyArray<object>, buffer: JsonBuffer, leave = 0): void {
    const written = JSON.stringify(values);
    const end = written.length - 1 - leave;
    // Piece by piece: what is joined first is copied once more than it need be.
    if (this.#texts.length === 0) return buffer.append(written.slice(1, end));
    buffer.reserve(written.length + this.#length);
    const [first = "", ...others] = written.slice(0, end).split(place);
    buffer.append(first.slice(1));
    for (const other of others) {
      const length = other.indexOf("}");
      buffer.append(this.#texts[Number(other.slice(0, length))] ?? "null");
      buffer.append(other.slice(length + 1));
    }
  }

  /** Forgets the texts; no place is good any more. */
  clear(): void {
    if (this.#texts.length === 0) return;
    this.#texts = [];
    this.#length = 0;
  }
}

/** How a place begins, as JSON. */
const place = '{"":';
