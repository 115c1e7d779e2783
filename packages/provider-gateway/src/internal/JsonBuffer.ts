/**
 * A growing buffer of UTF-8 text: a prefix that only grows, and a tail that each reader writes anew.
 *
 * What is below `length` is never written again, so bytes handed out stay what they were until the next `withTail`.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class JsonBuffer {
  #bytes: Uint8Array;
  #length = 0;

  constructor(initialBytes = 0) {
    this.#bytes = new Uint8Array(initialBytes);
  }

  /** Bytes of the prefix. */
  get length(): number {
    return this.#length;
  }

  /** Adds text to the prefix. */
  append(text: string): void {
    this.#length = this.#write(text, this.#length);
  }

  /** Makes room for so many characters, of which text is to be added piece by piece. */
  reserve(characters: number): void {
    this.#reserve(this.#length, characters);
  }

  /** The prefix followed by `tail`; valid until the next call of `append` or `withTail`. */
  withTail(tail: string): Uint8Array {
    const end = this.#write(tail, this.#length);
    return this.#bytes.subarray(0, end);
  }

  /** The text of the prefix from one place to another, both between characters. */
  text(from: number, to: number): string {
    return decoder.decode(this.#bytes.subarray(from, to));
  }

  #write(text: string, at: number): number {
    this.#reserve(at, text.length);
    const first = encoder.encodeInto(text, this.#bytes.subarray(at));
    if (first.read === text.length) return at + first.written;
    // A code unit takes at most three bytes, so the second attempt always fits.
    const rest = text.slice(first.read);
    const middle = at + first.written;
    this.#reserve(middle, rest.length * 3);
    return middle + encoder.encodeInto(rest, this.#bytes.subarray(middle)).written;
  }

  #reserve(at: number, more: number): void {
    const needed = at + more;
    if (needed <= this.#bytes.length) return;
    const next = roomOf(Math.max(this.#bytes.length * 2, needed + slack));
    next.set(this.#bytes.subarray(0, at));
    this.#bytes = next;
  }
}

/** Room for what stands behind the text that is the first to need room. */
const slack = 4096;

/** Bytes that hold anything: nobody reads one that was not written. Zeroes are all that a browser has. */
const roomOf = (length: number): Uint8Array =>
  typeof Buffer === "undefined" ? new Uint8Array(length) : Buffer.allocUnsafeSlow(length);
