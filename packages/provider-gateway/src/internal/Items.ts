/**
 * The items of a body that is one flat list.
 *
 * Owns the text of the list. What is added is only written by `flush`, all at once.
 */
import type { JsonBuffer } from "./JsonBuffer.ts";
import { type RawJson, RawTexts } from "./RawJson.ts";

export class Items<Item extends object> {
  readonly #buffer: JsonBuffer;
  readonly #opening: () => string;
  readonly #raws = new RawTexts();
  #added: Array<Item> = [];
  #isWritten = false;

  /** `opening` is what stands before the first item. */
  constructor(buffer: JsonBuffer, opening: () => string) {
    this.#buffer = buffer;
    this.#opening = opening;
  }

  get isEmpty(): boolean {
    return !this.#isWritten && this.#added.length === 0;
  }

  /** A text of JSON as it came, for the next item that is added. */
  readonly raw = (text: string): RawJson => this.#raws.hold(text);

  add(item: Item): void {
    this.#added.push(item);
  }

  /** Writes what was added. */
  flush(): void {
    if (this.#added.length === 0) return;
    this.#buffer.append(this.#isWritten ? "," : this.#opening());
    this.#raws.append(this.#added, this.#buffer);
    this.#raws.clear();
    this.#isWritten = true;
    this.#added = [];
  }
}
