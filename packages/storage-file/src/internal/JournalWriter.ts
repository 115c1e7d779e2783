/**
 * Appending to one run's journal file: one write and one data sync for all appends that wait.
 *
 * Owns the queue of appends, the descriptor, the fence and the repair of a torn end. Does not own claiming, which takes a
 * turn of its own in the same queue (`exclusive`).
 *
 * The hot path is callbacks, not fibers: an append costs its line, one write, and its part of a data sync.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";
import type { Position } from "@cahier/ports/RunJournal";
import { Conflict, type Corrupt, Fenced, NotFound, Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as nodePath from "node:path";
import * as Disk from "../Disk.ts";
import * as JournalLine from "../JournalLine.ts";
import * as Fault from "./fault.ts";
import type * as JournalIndex from "./JournalIndex.ts";
import type { JournalReader } from "./JournalReader.ts";
import * as TornEnd from "./TornEnd.ts";
import type * as Scan from "./JournalScan.ts";
import type { Owners } from "./Owners.ts";
import * as RunLayout from "./RunLayout.ts";

export type AppendFault = Conflict | Fenced | Corrupt | NotFound | Unavailable;

export interface JournalWriter {
  /** Appends all events or none, durable when it returns; gives the last sequence number. */
  readonly append: (position: Position, events: ReadonlyArray<NewEvent>) => Effect.Effect<number, AppendFault>;
  /** The same when the file is open and needs nothing; else undefined and nothing is done. Not to be interrupted. */
  readonly submit: (
    position: Position,
    events: ReadonlyArray<NewEvent>,
  ) => Effect.Effect<number | undefined, AppendFault>;
  /** Runs `use` while no append of this process is under way; not within another turn. */
  readonly exclusive: <A, E>(use: Effect.Effect<A, E>) => Effect.Effect<A, E>;
  /** Opens the file, reads on to its end and repairs a torn one. Within a turn. */
  readonly prepare: (position?: Position) => Effect.Effect<void, AppendFault>;
  /** One append within a turn, right after `prepare`; undefined when the file must be prepared again. */
  readonly write: (
    position: Position,
    events: ReadonlyArray<NewEvent>,
  ) => Effect.Effect<number | undefined, AppendFault>;
  /** Lets go of the descriptor. Within a turn. */
  readonly close: () => void;
  /** True while nothing is open, waits or is under way. */
  readonly isIdle: () => boolean;
}

/** `folder` gives the run's directory after a look at the way to it; `changed` is called when something was appended. */
export interface Options {
  readonly disk: Disk.Disk;
  readonly runId: RunId;
  readonly folder: () => string;
  readonly reader: JournalReader;
  readonly owners: Owners;
  readonly changed: () => void;
}

export const make = ({ changed, disk, folder, owners, reader, runId }: Options): JournalWriter => {
  const queue: Array<Job | Turn> = [];
  let busy = false;
  let descriptor: number | undefined;
  let directory = "";
  let epoch = 0;
  // Where bytes begin that a failed sync may have left in memory alone, although they read back well.
  let unsynced: number | undefined;

  const close = (): void => {
    const open = descriptor;
    descriptor = undefined;
    if (open !== undefined) disk.close(open);
  };

  const refusal = (position: Position, lastSeq: number): Conflict | Fenced | undefined => {
    if (position.epoch < epoch) return new Fenced({ id: runId, epoch: position.epoch, currentEpoch: epoch });
    if (position.epoch > epoch) return conflict("epoch", runId, position.epoch, epoch);
    return position.expectedSeq === lastSeq ? undefined : conflict("run", runId, position.expectedSeq, lastSeq);
  };

  const drain = (): void => {
    const head = queue[0];
    if (busy || head === undefined) return;
    busy = true;
    if ("begin" in head) {
      queue.shift();
      head.begin();
      return;
    }
    const firstTurn = queue.findIndex((waiting) => "begin" in waiting);
    const group = queue.splice(0, firstTurn === -1 ? queue.length : firstTurn).filter(isJob);
    flush(group, endTurn);
  };

  const endTurn = (): void => {
    busy = false;
    drain();
  };

  const flush = (group: ReadonlyArray<Job>, done: () => void): void => {
    const answered = (answer: (job: Job) => Answer): void => {
      for (const job of group) job.resume(answer(job));
      done();
    };
    let written = false;
    const failed = (cause: unknown): void => {
      reader.hold(false);
      closeQuietly();
      if (!written && Disk.codeOf(cause) === "ENOENT") return answered(() => notReady);
      if (written) unsynced = Math.min(unsynced ?? Number.POSITIVE_INFINITY, reader.known().point.offset);
      const fault = Effect.fail(Fault.unavailable("journal.append", cause));
      answered(() => fault);
    };
    try {
      const open = descriptor;
      if (open === undefined || unsynced !== undefined || !isCurrent(open)) return answered(() => notReady);
      const before = reader.known().point;
      const plan = makePlan(group, before.lastSeq);
      if (plan.writes.length === 0) return answered((job) => plan.answers.get(job) ?? notReady);
      const bytes =
        plan.writes.length === 1 ? first(plan.writes).bytes : Buffer.concat(plan.writes.map((w) => w.bytes));
      written = true;
      if (disk.write(open, bytes) !== bytes.length) throw Disk.failure("ENOSPC", directory);
      reader.hold(true);
      disk.syncData(open, (error) => {
        reader.hold(false);
        if (error !== null) return failed(error);
        try {
          settle(open, plan, bytes.length);
        } catch (cause) {
          return failed(cause);
        }
        answered((job) => plan.answers.get(job) ?? notReady);
        changed();
      });
    } catch (cause) {
      failed(cause);
    }
  };

  /** True when the open file ends where the reader stands, after reading on if it has to. */
  const isCurrent = (open: number): boolean => {
    const stat = disk.stat(open);
    if (stat.links === 0) {
      close();
      return false;
    }
    if (stat.size === reader.known().point.offset) return true;
    const known = reader.refresh();
    epoch = owners.current();
    return known.torn === 0 && known.damage === undefined;
  };

  /** What of a group is written, each append checked against those before it. */
  const makePlan = (group: ReadonlyArray<Job>, lastSeq: number): Plan => {
    const plan: Plan = { writes: [], answers: new Map() };
    let seq = lastSeq;
    for (const job of group) {
      const refused = refusal(job.position, seq);
      const bytes = refused === undefined ? encode(runId, job) : Effect.fail(refused);
      if (!Buffer.isBuffer(bytes)) {
        plan.answers.set(job, bytes);
        continue;
      }
      seq += job.events.length;
      plan.answers.set(job, Effect.succeed(seq));
      // Bytes of one append are written before the next are encoded; those of a group wait for each other.
      if (bytes.length > 0) plan.writes.push({ job, bytes: group.length === 1 ? bytes : Buffer.from(bytes) });
    }
    return plan;
  };

  /** After the sync: nobody else may have written or claimed meanwhile, or the file must tell what counts. */
  const settle = (open: number, plan: Plan, length: number): void => {
    const before = reader.known().point;
    const stat = disk.stat(open);
    const alone = stat.size === before.offset + length && stat.links > 0;
    if (alone && !owners.isTaken(epoch + 1)) {
      reader.advance(batchesOf(plan, before, epoch));
      return;
    }
    const accepted = new Set<number>();
    const known = Fault.orAbsent(() => reader.refresh((batch) => accepted.add(batch.before.offset)), undefined);
    epoch = owners.current();
    let offset = disk.endOfLastWrite(open) - length;
    for (const { bytes, job } of plan.writes) {
      if (known === undefined || stat.links === 0) plan.answers.set(job, Effect.fail(notFound(runId)));
      else if (!accepted.has(offset)) plan.answers.set(job, Effect.fail(lost(job.position, known)));
      offset += bytes.length;
    }
  };

  const lost = (position: Position, known: ReturnType<JournalReader["known"]>): AppendFault =>
    known.damage ??
    refusal(position, known.point.lastSeq) ??
    conflict("run", runId, position.expectedSeq, known.point.lastSeq);

  const closeQuietly = (): void => {
    try {
      close();
    } catch (error) {
      if (Disk.codeOf(error) === undefined) throw error;
    }
  };

  const open = (): void => {
    directory = folder();
    if (descriptor !== undefined && disk.stat(descriptor).links === 0) close();
    descriptor ??= disk.open(nodePath.join(directory, RunLayout.journalName), "append");
    reader.refresh();
    epoch = owners.current();
  };

  const prepare = Effect.fnUntraced(function* (position?: Position) {
    yield* orNotFound(Fault.attempt("journal.open", open), runId);
    const { damage, point } = reader.known();
    if (damage !== undefined) return yield* damage;
    const refused = position === undefined ? undefined : refusal(position, point.lastSeq);
    if (refused !== undefined) return yield* refused;
    if (unsynced !== undefined && unsynced < point.offset) {
      yield* TornEnd.rewrite(disk, directory, unsynced, point.offset);
    }
    unsynced = undefined;
    if (descriptor !== undefined && reader.known().torn > 0) {
      yield* orNotFound(TornEnd.repair({ disk, directory, descriptor, reader }), runId);
    }
  });

  const submit = (
    position: Position,
    events: ReadonlyArray<NewEvent>,
  ): Effect.Effect<number | undefined, AppendFault> =>
    Effect.callback((resume) => {
      queue.push({ position, events, resume });
      drain();
    });

  const exclusive = <A, E>(use: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.acquireUseRelease(
      Effect.callback<void>((resume) => {
        queue.push({ begin: () => resume(Effect.void) });
        drain();
      }),
      () => use,
      () => Effect.sync(endTurn),
    );

  const appendPrepared = Effect.fnUntraced(function* (position: Position, events: ReadonlyArray<NewEvent>) {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      yield* exclusive(prepare(position));
      const lastSeq = yield* submit(position, events);
      if (lastSeq !== undefined) return lastSeq;
    }
    return yield* unsettled(runId);
  });

  return {
    submit,
    append: (position, events) =>
      Effect.uninterruptible(
        Effect.filterOrElse(submit(position, events), isAnswered, () => appendPrepared(position, events)),
      ),
    exclusive,
    prepare,
    write: (position, events) => Effect.callback((resume) => flush([{ position, events, resume }], () => undefined)),
    close,
    isIdle: () => descriptor === undefined && !busy && queue.length === 0,
  };
};

/** `NotFound` in place of the disk's `ENOENT`. */
export const orNotFound = <A, E>(
  effect: Effect.Effect<A, E | Unavailable>,
  runId: RunId,
): Effect.Effect<A, E | Unavailable | NotFound> =>
  Effect.mapError(effect, (fault) => (fault instanceof Unavailable && Fault.isAbsent(fault) ? notFound(runId) : fault));

/** The file did not come to rest while it was prepared again and again. */
export const unsettled = (runId: RunId): Unavailable =>
  new Unavailable({
    operation: "journal.append",
    kind: "other",
    detail: `the journal of ${runId} is being written by somebody else without pause`,
  });

/** How often a file that changes under the writer is prepared again. */
export const attempts = 8;

export const conflict = (entity: string, id: string, expected: number, actual: number): Conflict =>
  new Conflict({ entity, id, expected, actual });

export const notFound = (runId: RunId): NotFound => new NotFound({ entity: "run", id: runId });

/** Undefined: the file must be prepared first. */
type Answer = Effect.Effect<number | undefined, AppendFault>;

interface Job {
  readonly position: Position;
  readonly events: ReadonlyArray<NewEvent>;
  readonly resume: (answer: Answer) => void;
}

interface Turn {
  readonly begin: () => void;
}

interface Write {
  readonly job: Job;
  readonly bytes: Buffer;
}

interface Plan {
  readonly writes: Array<Write>;
  readonly answers: Map<Job, Answer>;
}

const notReady: Answer = Effect.undefined;

const isAnswered = (lastSeq: number | undefined): lastSeq is number => lastSeq !== undefined;

const isJob = (waiting: Job | Turn): waiting is Job => "resume" in waiting;

const first = <A>(values: ReadonlyArray<A>): A => {
  const [value] = values;
  if (value === undefined) throw new Error("an empty plan is never written");
  return value;
};

const encode = (runId: RunId, { events, position }: Job): Buffer | Answer => {
  try {
    return JournalLine.encodeAll(runId, events, { seq: position.expectedSeq + 1, epoch: position.epoch });
  } catch (error) {
    if (error instanceof JournalLine.NotJson) return Effect.fail(Fault.invalid("journal.append", error.message));
    throw error;
  }
};

/** The batches of a plan as a reader would find them. The index needs only the scopes of their events. */
const batchesOf = (plan: Plan, before: Scan.Point, epoch: number): ReadonlyArray<JournalIndex.Entry> => {
  let point = before;
  return plan.writes.map(({ bytes, job }) => {
    const from = point;
    point = {
      offset: from.offset + bytes.length,
      line: from.line + job.events.length,
      lastSeq: from.lastSeq + job.events.length,
      epoch,
    };
    return { events: job.events, before: from, after: point };
  });
};
