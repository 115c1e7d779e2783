/**
 * A native item of a stream, put together as exact JSON text.
 *
 * It is the text of the item in the event that began it, in which the members that later pieces grew have their final
 * values, where they stand or else at the end. Text is written anew from its joined pieces, for there is no text of the
 * whole; everything else consists of the texts that came. So numbers keep their spelling and members their order.
 */
import { GrowingText } from "./GrowingText.ts";
import * as jsonText from "./jsonText.ts";
import { isObject, isString } from "./shape.ts";

export class GrowingItem {
  readonly #text: string;
  readonly #start: Readonly<Record<string, unknown>>;
  readonly #grown = new Map<string, Grown>();

  /** `text` is that of `value`. */
  constructor(value: object, text: string) {
    this.#text = text;
    this.#start = Object.fromEntries(Object.entries(value));
  }

  /** A piece of a member that is text, which may have begun with the item. */
  addText(name: string, piece: string): void {
    const started = this.#start[name];
    this.#textOf(name, "text", isString(started) ? started : "").add(piece);
  }

  /** A piece of the JSON text of a member that is an object. */
  addJson(name: string, piece: string): void {
    this.#textOf(name, "json", "").add(piece);
  }

  /** One more element of a member that is an array, as its text. */
  push(name: string, element: string): void {
    const known = this.#grown.get(name);
    if (known?.kind === "list") known.elements.push(element);
    else {
      const started = jsonText.elementsOf(jsonText.memberOf(this.#text, name) ?? "[]");
      this.#grown.set(name, { kind: "list", elements: [...started, element] });
    }
  }

  /** The text of a whole member; the last one stays. */
  set(name: string, value: string): void {
    this.#grown.set(name, { kind: "value", value });
  }

  /** The item so far. */
  json(): string {
    const values = new Map([...this.#grown].map(([name, grown]) => [name, valueOf(grown)] as const));
    return values.size === 0 ? this.#text : jsonText.withMembers(this.#text, values);
  }

  #textOf(name: string, kind: "text" | "json", start: string): GrowingText {
    const known = this.#grown.get(name);
    if (known?.kind === kind) return known.text;
    const text = new GrowingText(start);
    this.#grown.set(name, { kind, text });
    return text;
  }
}

type Grown =
  | { readonly kind: "text" | "json"; readonly text: GrowingText }
  | { readonly kind: "list"; readonly elements: Array<string> }
  | { readonly kind: "value"; readonly value: string };

const valueOf = (grown: Grown): string => {
  switch (grown.kind) {
    case "list":
      return `[${grown.elements.join(",")}]`;
    case "text":
      return JSON.stringify(grown.text.text());
    case "json": {
      const json = grown.text.text();
      // What was cut is no JSON; the item must stay some.
      return isObject(jsonText.parse(json)) ? json : "{}";
    }
    case "value":
      return grown.value;
  }
};
