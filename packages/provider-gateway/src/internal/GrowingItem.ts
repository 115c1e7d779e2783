/**
 * A native item of a stream, put together as exact JSON text.
 *
 * It is the text of the item in the event that began it, in which the members that later pieces grew have their final
 * values, where they stand or else at the end. Text is written anew from its joined pieces, for there is no text of the
 * whole; everything else consists of the texts that came. So numbers keep their spelling and members their order.
 */
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
    const pieces = this.#piecesOf(name, "text");
    const started = this.#start[name];
    if (pieces.length === 0 && isString(started)) pieces.push(started);
    pieces.push(piece);
  }

  /** A piece of the JSON text of a member that is an object. */
  addJson(name: string, piece: string): void {
    this.#piecesOf(name, "json").push(piece);
  }

  /** One more element of a member that is an array, as its text. */
  push(name: string, element: string): void {
    const pieces = this.#piecesOf(name, "list");
    if (pieces.length === 0) pieces.push(...jsonText.elementsOf(jsonText.memberOf(this.#text, name) ?? "[]"));
    pieces.push(element);
  }

  /** The text of a whole member; the last one stays. */
  set(name: string, value: string): void {
    this.#grown.set(name, { kind: "value", pieces: [value] });
  }

  /** The item so far. */
  json(): string {
    const values = new Map([...this.#grown].map(([name, grown]) => [name, valueOf(grown)] as const));
    return values.size === 0 ? this.#text : jsonText.withMembers(this.#text, values);
  }

  #piecesOf(name: string, kind: Grown["kind"]): Array<string> {
    const known = this.#grown.get(name);
    if (known?.kind === kind) return known.pieces;
    const made: Grown = { kind, pieces: [] };
    this.#grown.set(name, made);
    return made.pieces;
  }
}

interface Grown {
  readonly kind: "text" | "json" | "list" | "value";
  readonly pieces: Array<string>;
}

const valueOf = ({ kind, pieces }: Grown): string => {
  if (kind === "list") return `[${pieces.join(",")}]`;
  const joined = pieces.join("");
  if (kind === "text") return JSON.stringify(joined);
  // What was cut is no JSON; the item must stay some.
  return kind === "value" || isObject(jsonText.parse(joined)) ? joined : "{}";
};
