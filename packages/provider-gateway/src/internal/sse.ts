/**
 * Server-sent events as a framing. Comments, ids and `retry:` lines are nothing to a model call.
 *
 * Cuts at line ends with the platform's own search: a model's stream is thousands of short events, and a parser that
 * looks at each character costs as much as reading their JSON.
 */
import type { Framing } from "../Route.ts";

/** An event may be so long, in characters. */
const eventLimit = 10 * 1024 * 1024;

export const sse: Framing = (onEvent) => {
  const lines = new Lines(new Events(onEvent));
  return {
    feed: (text) => lines.feed(text),
    // Servers end without the last blank line; a broken event fails in the protocol as broken JSON.
    end: () => lines.feed("\n\n"),
  };
};

/** Lines end in LF, CR LF or CR. A line that comes in many pieces is put together once, when it ends. */
class Lines {
  readonly #events: Events;
  #pieces: Array<string> = [];
  #length = 0;
  /** The last piece ends in a CR, which may be the first half of CR LF. */
  #isOpen = false;

  constructor(events: Events) {
    this.#events = events;
  }

  feed(text: string): string | undefined {
    const hasEnd = text.includes("\n") || text.includes("\r");
    if (hasEnd || this.#isOpen) this.#cut(this.#pieces.join("") + text);
    else this.#keep(text);
    return this.#length + this.#events.length > eventLimit
      ? `an event is longer than ${eventLimit} characters`
      : undefined;
  }

  #cut(joined: string): void {
    this.#isOpen = joined.endsWith("\r");
    const whole = this.#isOpen ? joined.slice(0, -1) : joined;
    const plain = whole.includes("\r") ? whole.replaceAll(lineEnd, "\n") : whole;
    let at = 0;
    for (let end = plain.indexOf("\n"); end !== -1; end = plain.indexOf("\n", at)) {
      this.#events.addLine(plain, at, end);
      at = end + 1;
    }
    this.#pieces = [];
    this.#length = 0;
    this.#keep(plain.slice(at) + (this.#isOpen ? "\r" : ""));
  }

  #keep(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
  }
}

const lineEnd = /\r\n?/g;

class Events {
  readonly #onEvent: (data: string, name: string) => void;
  #name = "";
  #data = "";

  constructor(onEvent: (data: string, name: string) => void) {
    this.#onEvent = onEvent;
  }

  get length(): number {
    return this.#data.length;
  }

  /** The line of `text` from `start` to `end`; an empty one ends an event. */
  addLine(text: string, start: number, end: number): void {
    if (start === end) this.#send();
    else if (text.charCodeAt(start) === letterD && text.startsWith("data:", start)) {
      const value = valueOf(text, start + "data:".length, end);
      this.#data = this.#data === "" ? value : `${this.#data}\n${value}`;
    } else if (text.startsWith("event:", start)) this.#name = valueOf(text, start + "event:".length, end);
  }

  #send(): void {
    const [data, name] = [this.#data, this.#name];
    this.#data = "";
    this.#name = "";
    if (data !== "") this.#onEvent(data, name === "" ? "message" : name);
  }
}

/** Looked at before the whole name is compared. */
const letterD = 0x64;

/** One space behind the colon is no part of a value. */
const valueOf = (text: string, start: number, end: number): string =>
  text.slice(text.charCodeAt(start) === 0x20 ? start + 1 : start, end);
