/**
 * Where the events of one journal file stand: what makes a page cost a page.
 *
 * Owns the blocks, their order, and which of their events belong to or concern which invocation. Does not own the file.
 */
import type { InvocationId } from "@cahier/domain/identity/Identity";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type * as Scan from "./JournalScan.ts";

/** A batch that counts; of its events only the scopes matter here. */
export interface Entry extends Pick<Scan.Batch, "before" | "after"> {
  readonly events: ReadonlyArray<Pick<StoredEvent, "eventScope">>;
}

/** Which events are asked for: those above `afterSeq` and below `beforeSeq`; a page takes the first or the last of them. */
export interface Wanted {
  readonly afterSeq: number;
  readonly beforeSeq: number;
  readonly backward: boolean;
  readonly invocationId: InvocationId | undefined;
}

/** A batch in the file, whose first event is `seq`, and the places in it, from 0, of the events that are wanted. */
export interface Part {
  readonly offset: number;
  readonly end: number;
  readonly seq: number;
  readonly lines: ReadonlyArray<number>;
}

export interface JournalIndex {
  /** Takes note of the batch that follows the last one. */
  readonly add: (batch: Entry) => void;
  /** The blocks that may hold wanted events, in the order in which a page takes them. */
  readonly candidates: (wanted: Wanted) => Iterable<number>;
  /** The batches of a block that hold wanted events, ascending; of `limit` events at most, those that a page takes first. */
  readonly parts: (index: number, wanted: Wanted, limit: number) => ReadonlyArray<Part>;
}

export const make = (): JournalIndex => {
  const blocks: Array<Block> = [];
  const blocksOf = new Map<InvocationId, Array<number>>();

  const begin = (before: Scan.Point): Block => {
    const block: Block = { lastSeq: before.lastSeq, places: new Map(), batches: [], count: 0 };
    blocks.push(block);
    return block;
  };

  const note = (block: Block, invocationId: InvocationId): void => {
    const places = block.places.get(invocationId);
    if (places === undefined) {
      block.places.set(invocationId, [block.count]);
      const known = blocksOf.get(invocationId);
      if (known === undefined) blocksOf.set(invocationId, [blocks.length - 1]);
      else known.push(blocks.length - 1);
    } else if (places.at(-1) !== block.count) {
      places.push(block.count);
    }
  };

  const add = (batch: Entry): void => {
    const last = blocks.at(-1);
    const block = last === undefined || last.count >= eventsPerBlock ? begin(batch.before) : last;
    block.batches.push({ place: block.count, offset: batch.before.offset, end: batch.after.offset });
    for (const { eventScope } of batch.events) {
      note(block, eventScope.invocationId);
      for (const related of eventScope.relatedInvocationIds ?? []) note(block, related);
      block.count += 1;
    }
  };

  /** How many blocks begin behind no later sequence number than `seq`. */
  const countUpTo = (seq: number): number => lowerBound(blocks.length, (index) => seqBefore(blocks[index]) > seq);

  const candidates = function* ({ afterSeq, backward, beforeSeq, invocationId }: Wanted): Generator<number> {
    const first = Math.max(0, countUpTo(afterSeq) - 1);
    const last = countUpTo(beforeSeq - 2) - 1;
    if (invocationId === undefined) return yield* between(first, last, backward, (at) => at);
    const known = blocksOf.get(invocationId) ?? [];
    const from = lowerBound(known.length, (at) => (known[at] ?? 0) >= first);
    const to = lowerBound(known.length, (at) => (known[at] ?? 0) > last) - 1;
    yield* between(from, to, backward, (at) => known[at] ?? 0);
  };

  const placesIn = (block: Block, wanted: Wanted, limit: number): ReadonlyArray<number> => {
    const { afterSeq, backward, beforeSeq, invocationId } = wanted;
    const first = Math.max(0, afterSeq - block.lastSeq);
    const last = Math.min(block.count - 1, beforeSeq - block.lastSeq - 2);
    if (invocationId === undefined) {
      const count = Math.max(0, Math.min(limit, last - first + 1));
      return Array.from({ length: count }, (_, at) => (backward ? last - count + 1 : first) + at);
    }
    const all = (block.places.get(invocationId) ?? []).filter((place) => place >= first && place <= last);
    return backward ? all.slice(-limit) : all.slice(0, limit);
  };

  const parts = (index: number, wanted: Wanted, limit: number): ReadonlyArray<Part> => {
    const block = blocks[index];
    if (block === undefined) return [];
    const places = placesIn(block, wanted, limit);
    return block.batches.flatMap(({ end, offset, place }, at) => {
      const next = block.batches[at + 1]?.place ?? block.count;
      const lines = places.filter((one) => one >= place && one < next).map((one) => one - place);
      return lines.length === 0 ? [] : [{ offset, end, seq: block.lastSeq + 1 + place, lines }];
    });
  };

  return { add, candidates, parts };
};

/** Neighbouring batches; an event's place is counted from the first one's first. */
interface Block {
  readonly lastSeq: number;
  readonly places: Map<InvocationId, Array<number>>;
  readonly batches: Array<{ readonly place: number; readonly offset: number; readonly end: number }>;
  count: number;
}

const eventsPerBlock = 64;

const seqBefore = (block: Block | undefined): number => block?.lastSeq ?? 0;

/** The first of `length` places that is `behind`; all that follow it are so too. */
const lowerBound = (length: number, behind: (index: number) => boolean): number => {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (behind(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

function* between(
  first: number,
  last: number,
  backward: boolean,
  valueAt: (at: number) => number,
): Generator<number, void> {
  if (backward) for (let at = last; at >= first; at -= 1) yield valueAt(at);
  else for (let at = first; at <= last; at += 1) yield valueAt(at);
}
