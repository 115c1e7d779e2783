/**
 * `reasoning_details`, as routers in front of other vendors send it: items with signatures or encrypted reasoning that
 * must come back unchanged with the next request.
 *
 * Owns putting the pieces of a stream together into items and their way into requests. An item is kept as one native
 * part of its message.
 */
import type { Message } from "@cahier/domain/model/Message";

/** One item, or a piece of one. */
export type Detail = Readonly<Record<string, unknown>>;

/**
 * The items so far and the next pieces. Text and summaries of one type and index are one item, its other fields are
 * the last ones that say something; encrypted items always come whole.
 */
export const join = (items: ReadonlyArray<Detail>, pieces: unknown): ReadonlyArray<Detail> => {
  if (!Array.isArray(pieces)) return items;
  return pieces.reduce<ReadonlyArray<Detail>>(
    (joined, piece: unknown) => (isDetail(piece) ? add(joined, piece) : joined),
    items,
  );
};

/** The items that a message carries for this format, in order. */
export const ofMessage = (message: Message): ReadonlyArray<Detail> =>
  message.parts.flatMap((part) => (part.type === "native" && part.format === "openai-chat" ? read(part.json) : []));

const add = (items: ReadonlyArray<Detail>, piece: Detail): ReadonlyArray<Detail> => {
  const last = items.at(-1);
  if (last === undefined || !continues(last, piece)) return [...items, piece];
  return [...items.slice(0, -1), merge(last, piece)];
};

const continues = (item: Detail, piece: Detail): boolean =>
  (piece["type"] === "reasoning.text" || piece["type"] === "reasoning.summary") &&
  item["type"] === piece["type"] &&
  item["index"] === piece["index"] &&
  (!isSaid(item["id"]) || !isSaid(piece["id"]) || item["id"] === piece["id"]) &&
  !isSaid(item["signature"]);

const merge = (item: Detail, piece: Detail): Detail => {
  const said = Object.fromEntries(Object.entries(piece).filter(([, value]) => isSaid(value)));
  const grown = ["text", "summary"].flatMap((field) => {
    const pair = [item[field], piece[field]].filter((value) => typeof value === "string");
    return pair.length === 0 ? [] : [[field, pair.join("")]];
  });
  return { ...item, ...said, ...Object.fromEntries(grown) };
};

const isSaid = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

const isDetail = (value: unknown): value is Detail =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const read = (json: string): ReadonlyArray<Detail> => {
  try {
    const parsed: unknown = JSON.parse(json);
    return isDetail(parsed) ? [parsed] : [];
  } catch {
    return [];
  }
};
