/**
 * What one process knows of one journal file, and pages out of it.
 *
 * Owns the place up to which the file has been read, and a sparse index of it, so that a page costs a page. Does not own
 * writing: the writer tells it what it has added, and holds it still while an append is not yet durable.
 */
import type { InvocationId, RunId } from "@cahier/domain/identity/Identity";
import * as EventEnvelope from "@cahier/domain/run/EventEnvelope";
import type { ReadOptions } from "@cahier/ports/RunJournal";
import { Corrupt } from "@cahier/ports/StorageFault";
import * as Disk from "../Disk.ts";
import * as Files from "./Files.ts";
import * as Scan from "./JournalScan.ts";

type StoredEvent = EventEnvelope.StoredEvent;

/** The end of the journal as it was last read. `torn` counts the lines behind it that are no complete batch. */
export interface Known {
  readonly point: Scan.Point;
  readonly torn: number;
  readonly damage: Corrupt | undefined;
}

/** A batch that this process has written; of its events only the scopes matter here. */
export interface Written extends Pick<Scan.Batch, "before" | "after"> {
  readonly events: ReadonlyArray<Pick<StoredEvent, "eventScope">>;
}

export interface Selection extends Known {
  readonly events: ReadonlyArray<StoredEvent>;
}

/** Every function throws what the disk throws; `ENOENT` when the journal is not there. */
export interface JournalReader {
  readonly known: () => Known;
  /** Reads on to the end of the file, and hands over each batch that counts on the way. */
  readonly refresh: (accept?: (batch: Scan.Batch) => void) => Known;
  /** Refreshes, then gives the events that the options ask for. */
  readonly select: (options: ReadOptions) => Selection;
  /** Takes note of batches that this process has written behind the known end. */
  readonly advance: (batches: ReadonlyArray<Written>) => void;
  /** While held, nothing behind the known end is read: it may be a batch that is not durable yet. */
  readonly hold: (held: boolean) => void;
}

/** `verified` gives the path of the journal after a look at the directories on the way. */
export const make = (disk: Disk.Disk, runId: RunId, verified: () => string): JournalReader => {
  let identity: string | undefined;
  let known: Known = unread;
  let blocks: Array<Block> = [];
  let held = false;

  const reset = (): void => {
    known = unread;
    blocks = [];
  };

  const add = (batch: Written): void => {
    const last = blocks.at(-1);
    const block = last === undefined || last.count >= eventsPerBlock ? startBlock(blocks, batch.before) : last;
    block.count += batch.events.length;
    for (const event of batch.events) {
      block.invocations.add(event.eventScope.invocationId);
      for (const related of event.eventScope.relatedInvocationIds ?? []) block.invocations.add(related);
    }
  };

  const catchUp = (descriptor: number, path: string, accept: (batch: Scan.Batch) => void): void => {
    const stat = disk.stat(descriptor);
    if (held) return;
    const replaced = stat.identity !== identity || stat.size < known.point.offset;
    if (replaced || known.damage !== undefined) reset();
    identity = stat.identity;
    const found = scanFile(disk, descriptor, stat.size, known.point, runId, (batch) => {
      add(batch);
      accept(batch);
    });
    known = {
      point: found.point,
      torn: found.torn,
      damage: found.damage === undefined ? undefined : corrupt(runId, path, found.damage),
    };
  };

  const withFile = <A>(use: (descriptor: number, path: string) => A): A => {
    const path = verified();
    const descriptor = disk.open(path, "read");
    try {
      return use(descriptor, path);
    } finally {
      disk.close(descriptor);
    }
  };

  const readBlock = (descriptor: number, index: number): ReadonlyArray<StoredEvent> | undefined => {
    const block = blocks[index];
    if (block === undefined) return [];
    const end = blocks[index + 1]?.before.offset ?? known.point.offset;
    const bytes = Files.readRange(disk, descriptor, block.before.offset, end);
    const events: Array<StoredEvent> = [];
    const partial = known.damage !== undefined && index === blocks.length - 1;
    Scan.scan(bytes, block.before, runId, (batch) => events.push(...batch.events), partial);
    return events.length === block.count ? events : undefined;
  };

  const pick = (descriptor: number, options: ReadOptions): ReadonlyArray<StoredEvent> | undefined => {
    const { afterSeq = 0, beforeSeq = Number.POSITIVE_INFINITY, invocationId } = options;
    const limit = Math.min(500, Math.max(1, Math.trunc(options.limit ?? 100)));
    const backward = options.beforeSeq !== undefined && options.afterSeq === undefined;
    const found: Array<StoredEvent> = [];
    for (const index of order(blocks, afterSeq, beforeSeq, backward)) {
      if (invocationId !== undefined && blocks[index]?.invocations.has(invocationId) === false) continue;
      const events = readBlock(descriptor, index)?.filter((event) => wanted(event, afterSeq, beforeSeq, invocationId));
      if (events === undefined) return undefined;
      if (backward) found.unshift(...events);
      else found.push(...events);
      if (found.length >= limit) break;
    }
    if (found.length <= limit) return found;
    return backward ? found.slice(-limit) : found.slice(0, limit);
  };

  const select = (options: ReadOptions): Selection =>
    withFile((descriptor, path) => {
      catchUp(descriptor, path, ignore);
      const events = pick(descriptor, options);
      if (events !== undefined) return { ...known, events };
      // The file does not hold any more what the index says: somebody has changed it in place.
      if (!held) reset();
      catchUp(descriptor, path, ignore);
      const again = pick(descriptor, options);
      if (again === undefined) throw Disk.failure("EIO", path);
      return { ...known, events: again };
    });

  return {
    known: () => known,
    refresh: (accept = ignore) =>
      withFile((descriptor, path) => {
        catchUp(descriptor, path, accept);
        return known;
      }),
    select,
    advance: (batches) => {
      for (const batch of batches) {
        add(batch);
        known = { ...known, point: batch.after };
      }
    },
    hold: (next) => {
      held = next;
    },
  };
};

/** A stretch of the file between two batches, with the invocations that its events belong to or concern. */
interface Block {
  readonly before: Scan.Point;
  readonly invocations: Set<InvocationId>;
  count: number;
}

const eventsPerBlock = 64;
const chunkBytes = 1 << 20;
const unread: Known = { point: Scan.start, torn: 0, damage: undefined };

const ignore = (): void => undefined;

const startBlock = (blocks: Array<Block>, before: Scan.Point): Block => {
  const block: Block = { before, invocations: new Set(), count: 0 };
  blocks.push(block);
  return block;
};

/** The blocks that can hold wanted events, in the order in which a page takes them. */
function* order(
  blocks: ReadonlyArray<Block>,
  afterSeq: number,
  beforeSeq: number,
  backward: boolean,
): Generator<number> {
  const first = Math.max(0, countUpTo(blocks, afterSeq) - 1);
  const last = countUpTo(blocks, beforeSeq - 2) - 1;
  if (backward) for (let index = last; index >= first; index -= 1) yield index;
  else for (let index = first; index <= last; index += 1) yield index;
}

/** How many blocks begin behind no later sequence number than `seq`. */
const countUpTo = (blocks: ReadonlyArray<Block>, seq: number): number => {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.before.lastSeq ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
};

const wanted = (
  event: StoredEvent,
  afterSeq: number,
  beforeSeq: number,
  invocationId: InvocationId | undefined,
): boolean =>
  event.seq > afterSeq &&
  event.seq < beforeSeq &&
  (invocationId === undefined || EventEnvelope.concerns(event, invocationId));

/** Scans up to `size` in chunks, so that a long journal is never in memory whole. */
const scanFile = (
  disk: Disk.Disk,
  descriptor: number,
  size: number,
  from: Scan.Point,
  runId: RunId,
  accept: (batch: Scan.Batch) => void,
): Scan.Result => {
  let point = from;
  let length = chunkBytes;
  for (;;) {
    const end = Math.min(size, point.offset + length);
    const bytes = Files.readRange(disk, descriptor, point.offset, end);
    const batches: Array<Scan.Batch> = [];
    const result = Scan.scan(bytes, point, runId, (batch) => batches.push(batch));
    const whole = end === size;
    if (whole || result.damage === undefined) for (const batch of batches) accept(batch);
    if (whole) return result;
    // Whether a line is damaged or part of a torn end shows only with all that follows it.
    length = result.damage !== undefined ? size - point.offset : nextLength(length, result.point, point);
    if (result.damage === undefined) point = result.point;
  }
};

const nextLength = (length: number, reached: Scan.Point, from: Scan.Point): number =>
  reached.offset === from.offset ? length * 2 : chunkBytes;

const corrupt = (runId: RunId, path: string, damage: Scan.Damage): Corrupt =>
  new Corrupt({
    entity: "run",
    id: runId,
    detail: `line ${damage.line} of the journal: ${damage.detail}`,
    line: damage.line,
    seq: damage.seq,
    path,
  });
