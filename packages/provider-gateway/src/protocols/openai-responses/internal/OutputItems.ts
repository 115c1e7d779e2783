/**
 * The output items of one response while they arrive.
 *
 * Owns which event and which item of the whole output belong together: by the protocol `output_index` decides and every
 * item has an id; imitators leave out either, count otherwise than the output does, or name new ids at the end.
 */
import type { Call } from "../../../internal/Draft.ts";
import { GrowingText } from "../../../internal/GrowingText.ts";
import { isText } from "../../../internal/shape.ts";
import * as quirks from "./quirks.ts";
import type * as wire from "./wire.ts";

/** An output item while it arrives. */
export interface OpenItem {
  readonly type: string;
  id: string | undefined;
  readonly index: number | undefined;
  /** What deltas have told of a message. */
  readonly said: GrowingText;
  hasReasoned: boolean;
  call: Call | undefined;
  /** The item's own text once it is whole. */
  native: string | undefined;
}

export class OutputItems {
  readonly #items: Array<OpenItem> = [];
  #last: OpenItem | undefined;
  /** They stand in the order of the output. */
  #isOrdered = false;

  /** The item that a delta, or the word of an added or finished item, is about; made where there is none yet. */
  at(event: wire.Event, type: string): OpenItem {
    const id = isText(event.item?.id) ? event.item.id : isText(event.item_id) ? event.item_id : undefined;
    const index = event.output_index ?? undefined;
    const last = this.#last;
    // Nearly every event is a delta of the item before it.
    const isLast = last?.native === undefined && last?.type === type && last.id === id && last.index === index;
    if (isLast && event.type !== added) return last;
    const found = this.#find(id, index, type, event.type === added);
    const open = found ?? this.#make(type, index);
    open.id ??= id;
    this.#last = open;
    return open;
  }

  /** For each item of a whole output the one that has arrived, or a new one; from then on they stand in that order. */
  matched(output: ReadonlyArray<wire.Item>): ReadonlyArray<OpenItem> {
    const left = new Set(this.#items);
    const matches = new Map<wire.Item, OpenItem>();
    const claim = (fits: (open: OpenItem, item: wire.Item, place: number) => boolean): void => {
      for (const [place, item] of output.entries()) {
        if (matches.has(item)) continue;
        const open = [...left].find((candidate) => candidate.type === item.type && fits(candidate, item, place));
        if (open === undefined) continue;
        left.delete(open);
        matches.set(item, open);
      }
    };
    claim(({ id }, item) => id !== undefined && id === item.id);
    claim(({ call }, item) => isText(item.call_id) && call?.id === item.call_id);
    claim((open, item, place) => open.index === place && agrees(open, item));
    claim(agrees);
    claim(({ call, index }, item, place) => index === place && (call === undefined || call.name === item.name));
    const all = output.map((item) => matches.get(item) ?? this.#make(item.type, undefined));
    this.#isOrdered = left.size === 0;
    if (this.#isOrdered) this.#items.splice(0, this.#items.length, ...all);
    return all;
  }

  /** The texts of the items that are whole, in the order of the output as far as that is known. */
  natives(): ReadonlyArray<string> {
    const placed = this.#items.map(({ index, native }, arrival) => ({ native, place: index ?? arrival }));
    const ordered = this.#isOrdered ? placed : placed.toSorted((one, other) => one.place - other.place);
    return ordered.flatMap(({ native }) => (native === undefined ? [] : [native]));
  }

  #find(id: string | undefined, index: number | undefined, type: string, isNew: boolean): OpenItem | undefined {
    const named = id === undefined ? undefined : this.#items.find((item) => item.id === id);
    if (named !== undefined) return named;
    if (index !== undefined) {
      const placed = this.#items.findLast((item) => item.index === index && item.type === type);
      return placed?.native !== undefined && placed.id !== id ? undefined : placed;
    }
    if (isNew) return undefined;
    return this.#items.findLast(
      (item) => item.native === undefined && item.type === type && (id === undefined || item.id === undefined),
    );
  }

  #make(type: string, index: number | undefined): OpenItem {
    const made: OpenItem = {
      type,
      id: undefined,
      index,
      said: new GrowingText(),
      hasReasoned: false,
      call: undefined,
      native: undefined,
    };
    this.#items.push(made);
    return made;
  }
}

const added = "response.output_item.added";

/** Whether what has been told of an item is its beginning. */
const agrees = ({ call, said }: OpenItem, item: wire.Item): boolean => {
  if (item.type === "message") return quirks.readMessage(item).text.startsWith(said.text());
  return item.type !== "function_call" || call === undefined || call.id === "" || !isText(item.call_id);
};
