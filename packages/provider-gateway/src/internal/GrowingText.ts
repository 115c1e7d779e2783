/**
 * Text that arrives in many small pieces, kept in few strings.
 *
 * Pieces that are only added to each other stay in memory one by one until somebody reads the text, each with a header
 * larger than itself.
 */

/** So many pieces are made into one string at a time. */
const blockSize = 256;

export class GrowingText {
  readonly #blocks: Array<string> = [];
  readonly #pieces: Array<string> = [];
  #length = 0;

  constructor(start = "") {
    this.add(start);
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(piece: string): void {
    if (piece === "") return;
    this.#length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length < blockSize) return;
    this.#blocks.push(this.#pieces.join(""));
    this.#pieces.length = 0;
  }

  /** All of the text so far. */
  text(): string {
    return this.#blocks.join("") + this.#pieces.join("");
  }
}
