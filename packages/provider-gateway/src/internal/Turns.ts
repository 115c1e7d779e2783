/**
 * The turns of a body in which neighbours of one role are one message: the last stays open until another role speaks.
 *
 * Owns the text from the first turn on. Does not own what a turn says. What is said is only written by `flush`, all at
 * once.
 */
import type { JsonBuffer } from "./JsonBuffer.ts";
import { type RawJson, RawTexts } from "./RawJson.ts";

/** How a format writes turns. `opening` is what stands before the first; what a turn says is the last member of it. */
export interface Form<Item extends object> {
  readonly turn: (speaker: Speaker, items: ReadonlyArray<Item>) => object;
  /** Stands where nobody says anything. */
  readonly placeholder: Item;
  readonly opening: () => string;
}

export type Speaker = "user" | "model";

export class Turns<Item extends object> {
  readonly #buffer: JsonBuffer;
  readonly #form: Form<Item>;
  readonly #raws = new RawTexts();
  #speaker: Speaker | undefined;
  #isWritten = false;
  /** What is said in the turn that stands open in the buffer. */
  #continued: Array<Item> = [];
  /** The turns that are not in the buffer. */
  #turns: Array<object> = [];
  /** What is said in the last turn and is not in the buffer. */
  #last = this.#continued;
  #withheld: ReadonlyArray<Item> = [];

  constructor(buffer: JsonBuffer, form: Form<Item>) {
    this.#buffer = buffer;
    this.#form = form;
  }

  get isEmpty(): boolean {
    return this.#speaker === undefined;
  }

  /** A text of JSON as it came, for the next item that is said. */
  readonly raw = (text: string): RawJson => this.#raws.hold(text);

  /** Adds what somebody says; the list is the turn's own from then on. */
  say(speaker: Speaker, items: Array<Item>): void {
    if (items.length === 0) items.push(this.#form.placeholder);
    if (this.#speaker === speaker) {
      for (const item of items) this.#last.push(item);
      return;
    }
    this.#begin(speaker, items);
  }

  /** What the user says at the end of the next turn, because a model's turn cannot hold it. Without raw texts. */
  withhold(items: ReadonlyArray<Item>): void {
    if (items.length > 0) this.#withheld = [...this.#withheld, ...items];
  }

  /** Writes what was said. The last turn stays open. */
  flush(): void {
    if (this.#continued.length > 0) {
      this.#buffer.append(",");
      this.#raws.append(this.#continued, this.#buffer);
    }
    if (this.#turns.length > 0) {
      this.#buffer.append(this.#isWritten ? `${end},` : this.#form.opening());
      this.#raws.append(this.#turns, this.#buffer, end.length);
      this.#isWritten = true;
    }
    this.#raws.clear();
    this.#turns = [];
    this.#continued = [];
    this.#last = this.#continued;
  }

  /** What closes the turns, to stand behind all that was said and is written. */
  closing(): string {
    if (this.#speaker === undefined) {
      return `${this.#form.opening()}${JSON.stringify(this.#form.turn("user", [this.#form.placeholder]))}]`;
    }
    const withheld = this.#speaker === "user" ? this.#withheld.map((item) => `,${JSON.stringify(item)}`) : [];
    return `${withheld.join("")}${end}]`;
  }

  /** Closes the turn before, and begins one. The first is always the user's. */
  #begin(speaker: Speaker, items: Array<Item>): void {
    if (speaker === "model") {
      if (this.#speaker === undefined) this.#turns.push(this.#form.turn("user", [this.#form.placeholder]));
      else if (this.#withheld.length > 0) this.#last.push(...this.#withheld);
      this.#withheld = [];
    }
    this.#speaker = speaker;
    this.#last = items;
    this.#turns.push(this.#form.turn(speaker, items));
  }
}

/** What closes a turn. */
const end = "]}";
