/**
 * The places in a growing body up to which a provider is asked to keep the prompt: behind the instructions, the first
 * turn, what the request before ended with, and the end.
 *
 * Owns the places and how the marks get into a body. Does not own the body, in which no mark stands: it is the same
 * bytes in each round, and the marks wander.
 */

const encoder = new TextEncoder();

export class CacheMarks {
  readonly #mark: Uint8Array;
  #instructions: number | undefined;
  #first: number | undefined;
  #previous: number | undefined;
  #last: number | undefined;
  /** What the last body ended with. */
  #ended: number | undefined;

  constructor(ttl: "5m" | "1h") {
    this.#mark = encoder.encode(cacheControl(ttl));
  }

  /** A block that can be marked ends at this byte, the one behind its brace. Instructions within the turns are a turn. */
  note(end: number, of: "instructions" | "turn"): void {
    if (of === "instructions" && this.#first === undefined) {
      this.#instructions = end;
      return;
    }
    this.#first ??= end;
    this.#last = end;
  }

  /** The body with its marks, at most four. The next longer body is marked at the end of this one as well. */
  insertInto(body: Uint8Array): Uint8Array {
    if (this.#ended !== this.#last) {
      this.#previous = this.#ended;
      this.#ended = this.#last;
    }
    const ends = new Set(
      [this.#instructions, this.#first, this.#previous, this.#last].filter((end) => end !== undefined),
    );
    const marked = new Uint8Array(body.length + ends.size * this.#mark.length);
    let from = 0;
    let to = 0;
    for (const end of [...ends].toSorted((one, other) => one - other)) {
      marked.set(body.subarray(from, end - 1), to);
      to += end - 1 - from;
      marked.set(this.#mark, to);
      to += this.#mark.length;
      from = end - 1;
    }
    marked.set(body.subarray(from), to);
    return marked;
  }
}

/** A block, as its text, with a mark. */
export const marked = (block: string, ttl: "5m" | "1h"): string => `${block.slice(0, -1)}${cacheControl(ttl)}}`;

const cacheControl = (ttl: "5m" | "1h"): string => `,"cache_control":{"type":"ephemeral","ttl":"${ttl}"}`;
