/**
 * The turns of a body in which neighbours of one role are one message: the last stays open until another role speaks.
 *
 * Owns the text from the first turn on. Does not own what a turn says.
 */
import type { JsonBuffer } from "./JsonBuffer.ts";

/** How a format writes turns. `opening` is what stands before the first; `member` holds what a turn says. */
export interface Form {
  readonly roles: { readonly user: string; readonly model: string };
  readonly member: string;
  /** Stands where nobody says anything. */
  readonly placeholder: string;
  readonly opening: () => string;
}

export type Speaker = "user" | "model";

export class Turns {
  readonly #buffer: JsonBuffer;
  readonly #form: Form;
  #speaker: Speaker | undefined;
  #withheld: ReadonlyArray<string> = [];

  constructor(buffer: JsonBuffer, form: Form) {
    this.#buffer = buffer;
    this.#form = form;
  }

  get isEmpty(): boolean {
    return this.#speaker === undefined;
  }

  /** Adds what somebody says, as texts of JSON. */
  say(speaker: Speaker, items: ReadonlyArray<string>): void {
    const said = items.length === 0 ? this.#form.placeholder : items.join(",");
    if (this.#speaker === speaker) {
      this.#buffer.append(`,${said}`);
      return;
    }
    this.#buffer.append(this.#begin(speaker) + said);
    if (speaker === "model") this.#withheld = [];
    this.#speaker = speaker;
  }

  /** What the user says at the end of the next turn, because a model's turn cannot hold it. */
  withhold(items: ReadonlyArray<string>): void {
    this.#withheld = [...this.#withheld, ...items];
  }

  /** What closes the turns, to stand behind all that was said. */
  closing(): string {
    const last = this.#speaker === undefined ? this.#begin("user") + this.#form.placeholder : this.#rest();
    return `${last}]}]`;
  }

  /** Closes the turn before, and begins one. The first is always the user's. */
  #begin(speaker: Speaker): string {
    if (this.#speaker !== undefined) return `${this.#rest()}]},${this.#head(speaker)}`;
    const first = speaker === "user" ? "" : `${this.#head("user")}${this.#form.placeholder}]},`;
    return this.#form.opening() + first + this.#head(speaker);
  }

  #head(speaker: Speaker): string {
    return `{"role":"${this.#form.roles[speaker]}","${this.#form.member}":[`;
  }

  #rest(): string {
    return this.#speaker === "user" ? this.#withheld.map((item) => `,${item}`).join("") : "";
  }
}
