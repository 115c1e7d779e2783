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

  /** Appends the values joined by commas, with the texts in their places. `leave`: so many characters of the end stay out. */
  append(values: ReadonlyArray<object>, buffer: JsonBuffer, leave = 0): void {
    const goes = inGoes(values);
    buffer.reserve(goes.reduce((sum, written) => sum + written.length, this.#length));
    for (const [index, written] of goes.entries()) {
      const isLast = index === goes.length - 1;
      if (index > 0) buffer.append(",");
      this.#appendText(written, written.length - 1 - (isLast ? leave : 0), buffer);
    }
  }

  /** Appends the text of an array up to `end`, without its bracket. */
  #appendText(written: string, end: number, buffer: JsonBuffer): void {
    // Piece by piece: what is joined first is copied once more than it need be.
    if (this.#texts.length === 0) return buffer.append(written.slice(1, end));
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

/**
 * The values as the texts of one array or several. The engine keeps a text of up to some hundred kilobytes where it keeps
 * all small things; each page of a longer one costs.
 */
const inGoes = (values: ReadonlyArray<object>): ReadonlyArray<string> => {
  if (values.length <= firstGo) return [JSON.stringify(values)];
  const goes: Array<string> = [];
  let from = 0;
  let size = firstGo;
  while (from < values.length) {
    const go = values.slice(from, from + size);
    const written = JSON.stringify(go);
    goes.push(written);
    from += size;
    size = Math.max(1, Math.floor((goCharacters * go.length) / written.length));
  }
  return goes;
};

/** So many values are written in the first go, whose length tells how many may be in the next. */
const firstGo = 32;

/** So long is a go, about. */
const goCharacters = 115_000;
