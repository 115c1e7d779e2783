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
import * as JournalLine from "../JournalLine.ts";
import * as Files from "./Files.ts";
import * as JournalIndex from "./JournalIndex.ts";
import * as Scan from "./JournalScan.ts";

type StoredEvent = EventEnvelope.StoredEvent;

/** The end of the journal as it was last read. `torn` counts the lines behind it that are no complete batch. */
export interface Known {
  readonly point: Scan.Point;
  readonly torn: number;
  readonly damage: Corrupt | undefined;
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
  readonly advance: (batches: ReadonlyArray<JournalIndex.Entry>) => void;
  /** While held, nothing behind the known end is read: it may be a batch that is not durable yet. */
  readonly hold: (held: boolean) => void;
}

/** `verified` gives the path of the journal after a look at the directories on the way. */
export const make = (disk: Disk.Disk, runId: RunId, verified: () => string): JournalReader => {
  let identity: string | undefined;
  let known: Known = unread;
  let index = JournalIndex.make();
  let held = false;

  const reset = (): void => {
    known = unread;
    index = JournalIndex.make();
  };

  const catchUp = (descriptor: number, path: string, accept: (batch: Scan.Batch) => void, strict = false): void => {
    const stat = disk.stat(descriptor);
    if (held) return;
    const replaced = stat.identity !== identity || stat.size < known.point.offset;
    if (replaced || known.damage !== undefined) reset();
    identity = stat.identity;
    const take = (batch: Scan.Batch): void => {
      index.add(batch);
      accept(batch);
    };
    const found = scanFile(disk, descriptor, stat.size, (bytes, from, onBatch) =>
      Scan.scan(bytes, from, runId, onBatch, strict),
    )(known.point, take);
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

  /** The wanted events of neighbouring batches; undefined when the file holds something else there. */
  const readParts = (
    descriptor: number,
    parts: ReadonlyArray<JournalIndex.Part>,
  ): ReadonlyArray<StoredEvent> | undefined => {
    const [first, last] = [parts[0], parts.at(-1)];
    if (first === undefined || last === undefined) return [];
    const bytes = Files.readRange(disk, descriptor, first.offset, last.end);
    const events: Array<StoredEvent> = [];
    for (const part of parts) {
      const some = bytes.subarray(part.offset - first.offset, part.end - first.offset);
      if (!linesInto(events, some, part, runId)) return undefined;
    }
    return events;
  };

  const pick = (descriptor: number, options: ReadOptions): ReadonlyArray<StoredEvent> | undefined => {
    const { afterSeq = 0, beforeSeq = Number.POSITIVE_INFINITY, invocationId } = options;
    const limit = Math.min(500, Math.max(1, Math.trunc(options.limit ?? 100)));
    const backward = options.beforeSeq !== undefined && options.afterSeq === undefined;
    const wanted = { afterSeq, beforeSeq, backward, invocationId };
    const found: Array<ReadonlyArray<StoredEvent>> = [];
    let count = 0;
    for (const at of index.candidates(wanted)) {
      const events = readParts(descriptor, index.parts(at, wanted, limit - count));
      if (events === undefined || events.some((event) => !concernsIt(event, invocationId))) return undefined;
      found.push(events);
      count += events.length;
      if (count >= limit) break;
    }
    return (backward ? found.toReversed() : found).flat();
  };

  const select = (options: ReadOptions): Selection =>
    withFile((descriptor, path) => {
      catchUp(descriptor, path, ignore);
      const events = pick(descriptor, options);
      if (events !== undefined) return { ...known, events };
      // The file does not hold any more what the index says: somebody has changed it in place.
      if (!held) reset();
      catchUp(descriptor, path, ignore, true);
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
        index.add(batch);
        known = { ...known, point: batch.after };
      }
    },
    hold: (next) => {
      held = next;
    },
  };
};

const chunkBytes = 1 << 20;
const unread: Known = { point: Scan.start, torn: 0, damage: undefined };

const ignore = (): void => undefined;

const concernsIt = (event: StoredEvent, invocationId: InvocationId | undefined): boolean =>
  invocationId === undefined || EventEnvelope.concerns(event, invocationId);

/** Adds the events of the wanted lines of a batch; false when one is not what it was. */
const linesInto = (events: Array<StoredEvent>, bytes: Buffer, part: JournalIndex.Part, runId: RunId): boolean => {
  let [line, start] = [0, 0];
  for (const wanted of part.lines) {
    for (; line < wanted; line += 1) {
      const feed = bytes.indexOf(lineFeed, start);
      if (feed === -1) return false;
      start = feed + 1;
    }
    const end = bytes.indexOf(lineFeed, start);
    const read = end === -1 ? "the line is cut off" : JournalLine.decode(bytes, runId, start, end);
    if (typeof read === "string" || read.event.seq !== part.seq + wanted) return false;
    events.push(read.event);
  }
  return true;
};

const lineFeed = 0x0a;

/** Scans up to `size` in chunks, so that a long journal is never in memory whole. */
const scanFile =
  (
    disk: Disk.Disk,
    descriptor: number,
    size: number,
    scan: (bytes: Buffer, from: Scan.Point, accept: (batch: Scan.Batch) => void) => Scan.Result,
  ) =>
  (from: Scan.Point, accept: (batch: Scan.Batch) => void): Scan.Result => {
    let point = from;
    let length = chunkBytes;
    for (;;) {
      const end = Math.min(size, point.offset + length);
      const bytes = Files.readRange(disk, descriptor, point.offset, end);
      const batches: Array<Scan.Batch> = [];
      const result = scan(bytes, point, (batch) => batches.push(batch));
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
