/**
 * Which lines of a journal count: a pure pass over its bytes.
 *
 * Owns the rules of batches, epochs, torn ends and damage (see FORMAT in `JournalLine`). Does not own reading the file.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import * as JournalLine from "../JournalLine.ts";

/** A place between two batches: what a reader knows there. `line` is the number of lines before it. */
export interface Point {
  readonly offset: number;
  readonly line: number;
  readonly lastSeq: number;
  readonly epoch: number;
}

export const start: Point = { offset: 0, line: 0, lastSeq: 0, epoch: 1 };

/** A batch that counts, between two points; of its events only what a look at their lines shows. */
export interface Batch {
  readonly events: ReadonlyArray<JournalLine.Glance>;
  readonly before: Point;
  readonly after: Point;
}

/** The first line that is wrong: `line` is 1-based, `seq` the number that its event should have. */
export interface Damage {
  readonly line: number;
  readonly seq: number;
  readonly detail: string;
}

/** `torn` counts the lines, whole or begun, behind `point` that are no complete batch. */
export interface Result {
  readonly point: Point;
  readonly torn: number;
  readonly damage?: Damage;
}

/**
 * Goes through `bytes`, which begin at `from` and end at the end of the file, and hands over each batch that counts.
 * The lines of a damaged batch before its unreadable line count too: a batch that others follow was written whole.
 * `strict` reads every line to its last value, where the checksum would do.
 */
export const scan = (
  bytes: Buffer,
  from: Point,
  runId: RunId,
  accept: (batch: Batch) => void,
  strict = false,
): Result => {
  const read = strict ? decoded : JournalLine.glance;
  let point = from;
  let pending: Array<JournalLine.Glance> = [];
  let position = 0;
  const lineAt = (): number => point.line + pending.length + 1;
  const settle = (end: number): void => {
    const first = pending[0];
    if (first === undefined) return;
    const events = pending;
    const before = point;
    const counts = first.epoch >= point.epoch && first.seq === point.lastSeq + 1;
    point = {
      offset: from.offset + end,
      line: point.line + pending.length,
      lastSeq: counts ? point.lastSeq + pending.length : point.lastSeq,
      epoch: counts ? first.epoch : point.epoch,
    };
    pending = [];
    if (counts) accept({ events, before, after: point });
  };

  for (let end = bytes.indexOf(lineFeed, position); end !== -1; end = bytes.indexOf(lineFeed, position)) {
    const line = read(bytes, runId, position, end);
    const place = { line: lineAt(), seq: expectedSeq(point, pending) };
    if (typeof line === "string") {
      if (isTornTail(bytes.subarray(position), runId)) {
        return { point, torn: pending.length + countLines(bytes.subarray(position)) };
      }
      settle(position);
      return { point, torn: 0, damage: { ...place, detail: line } };
    }
    const wrong = misplaced(line, point, pending);
    if (wrong !== undefined) return { point, torn: 0, damage: { ...place, detail: wrong } };
    pending.push(line);
    position = end + 1;
    if (line.index === line.size - 1) settle(position);
  }
  return { point, torn: pending.length + (position < bytes.length ? 1 : 0) };
};

const decoded: typeof JournalLine.glance = (bytes, runId, start, end) => {
  const line = JournalLine.decode(bytes, runId, start, end);
  if (typeof line === "string") return line;
  const { epoch, eventScope, seq } = line.event;
  return { seq, epoch, eventScope, index: line.index, size: line.size };
};

const lineFeed = 0x0a;

const expectedSeq = (point: Point, pending: ReadonlyArray<JournalLine.Glance>): number => {
  const last = pending.at(-1);
  return last === undefined ? point.lastSeq + 1 : last.seq + 1;
};

/** Why a readable line cannot stand where it stands, or undefined. */
const misplaced = (
  line: JournalLine.Glance,
  point: Point,
  pending: ReadonlyArray<JournalLine.Glance>,
): string | undefined => {
  const previous = pending.at(-1);
  if (previous === undefined) {
    if (line.index !== 0) return "the append begins in its middle";
    if (line.epoch < point.epoch || line.seq <= point.lastSeq + 1) return undefined;
    return `the sequence jumps from ${point.lastSeq} to ${line.seq}`;
  }
  const follows =
    line.index === previous.index + 1 &&
    line.size === previous.size &&
    line.epoch === previous.epoch &&
    line.seq === previous.seq + 1;
  return follows ? undefined : "the append before this line has lines missing";
};

/**
 * A crash can leave sectors of its last write unwritten, which read as zeros: then a whole line at the end may be
 * unreadable. No line contains a raw zero, so zeros without a readable beginning of a batch behind them are a torn end.
 */
const isTornTail = (rest: Buffer, runId: RunId): boolean => {
  if (!rest.includes(0)) return false;
  for (let position = 0, end = rest.indexOf(lineFeed); end !== -1; end = rest.indexOf(lineFeed, position)) {
    const line = JournalLine.decode(rest.subarray(position, end), runId);
    if (typeof line !== "string" && line.index === 0) return false;
    position = end + 1;
  }
  return true;
};

const countLines = (rest: Buffer): number => {
  let count = 0;
  for (let position = 0; position < rest.length; count += 1) {
    const end = rest.indexOf(lineFeed, position);
    position = end === -1 ? rest.length : end + 1;
  }
  return count;
};
