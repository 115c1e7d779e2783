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
  /** The text so far ends in a CR, which stands in no piece and may be the first half of CR LF. */
  #isOpen = false;

  constructor(events: Events) {
    this.#events = events;
  }

  feed(text: string): string | undefined {
    if (this.#isOpen || text.includes("\r")) this.#normalize(text);
    else this.#cut(text);
    return this.#length + this.#events.length > eventLimit
      ? `an event is longer than ${eventLimit} characters`
      : undefined;
  }

  #normalize(text: string): void {
    const whole = (this.#isOpen ? "\r" : "") + text;
    this.#isOpen = whole.endsWith("\r");
    this.#cut((this.#isOpen ? whole.slice(0, -1) : whole).replaceAll(lineEnd, "\n"));
  }

  /** Only the first line is put together: what is joined to the text of the rest is slower to search. */
  #cut(text: string): void {
    let end = text.indexOf("\n");
    if (end === -1) return this.#keep(text);
    if (this.#pieces.length > 0) {
      const line = this.#pieces.join("") + text.slice(0, end);
      this.#events.addLine(line, 0, line.length);
      this.#pieces = [];
      this.#length = 0;
    } else this.#events.addLine(text, 0, end);
    let at = end + 1;
    for (end = text.indexOf("\n", at); end !== -1; end = text.indexOf("\n", at)) {
      this.#events.addLine(text, at, end);
      at = end + 1;
    }
    if (at < text.length) this.#keep(text.slice(at));
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
    else if (begins(text, start, "data:")) {
      const value = valueOf(text, start + "data:".length, end);
      this.#data = this.#data === "" ? value : `${this.#data}\n${value}`;
    } else if (begins(text, start, "event:")) this.#name = valueOf(text, start + "event:".length, end);
  }

  #send(): void {
    const [data, name] = [this.#data, this.#name];
    this.#data = "";
    this.#name = "";
    if (data !== "") this.#onEvent(data, name === "" ? "message" : name);
  }
}

/** Character by character, because `startsWith` is slower at so few of them. */
const begins = (text: string, start: number, name: string): boolean => {
  for (let at = 0; at < name.length; at += 1) if (text.charCodeAt(start + at) !== name.charCodeAt(at)) return false;
  return true;
};

/** One space behind the colon is no part of a value. */
const valueOf = (text: string, start: number, end: number): string =>
  text.slice(text.charCodeAt(start) === 0x20 ? start + 1 : start, end);
