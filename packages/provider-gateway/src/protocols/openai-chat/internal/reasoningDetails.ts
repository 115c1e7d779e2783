/**
 * `reasoning_details`, as routers in front of other vendors send it: items with signatures or encrypted reasoning that
 * must come back unchanged with the next request.
 *
 * Owns putting the pieces of a stream together into items. An item is kept as one native part of its message: of a body
 * the text that stands there, of a stream what `GrowingItem` makes of its pieces.
 */
import { GrowingItem } from "../../../internal/GrowingItem.ts";
import * as jsonText from "../../../internal/jsonText.ts";
import { isObject, isString } from "../../../internal/shape.ts";

/** One item, or a piece of one. */
export type Detail = Readonly<Record<string, unknown>>;

/** The items of one message. */
export class Details {
  readonly #items: Array<{ said: Detail; readonly item: GrowingItem }> = [];

  /**
   * Adds the next pieces, whose texts `texts` cuts out. Text and summaries of one type and index are one item, its other
   * fields are the last ones that say something; encrypted items always come whole.
   */
  add(pieces: unknown, texts: () => ReadonlyArray<string>): void {
    if (!Array.isArray(pieces)) return;
    const all = texts();
    for (const [index, piece] of (pieces as ReadonlyArray<unknown>).entries()) {
      if (isObject(piece)) this.#add(piece, all[index] ?? "{}");
    }
  }

  /** The texts of the items so far, in order. */
  json(): ReadonlyArray<string> {
    return this.#items.map(({ item }) => item.json());
  }

  #add(piece: Detail, text: string): void {
    const last = this.#items.at(-1);
    if (last === undefined || !continues(last.said, piece)) {
      this.#items.push({ said: piece, item: new GrowingItem(piece, text) });
      return;
    }
    for (const [name, value] of Object.entries(piece)) {
      if ((name === "text" || name === "summary") && isString(value)) last.item.addText(name, value);
      else if (isSaid(value) && value !== last.said[name]) {
        last.item.set(name, jsonText.memberOf(text, name) ?? "null");
        last.said = { ...last.said, [name]: value };
      }
    }
  }
}

const continues = (item: Detail, piece: Detail): boolean =>
  (piece["type"] === "reasoning.text" || piece["type"] === "reasoning.summary") &&
  item["type"] === piece["type"] &&
  item["index"] === piece["index"] &&
  (!isSaid(item["id"]) || !isSaid(piece["id"]) || item["id"] === piece["id"]) &&
  !isSaid(item["signature"]);

const isSaid = (value: unknown): boolean => value !== undefined && value !== null && value !== "";
