/**
 * RunJournal in memory: the reference of the port, and the journal of tests.
 *
 * Owns the meaning of every rule of the port where nothing can be lost or torn. Does not own durability: a journal in
 * memory ends with its process. Two views of one storage object behave as two processes on one disk.
 */
import type { InvocationId, RunId } from "@cahier/domain/identity/Identity";
import { concerns, type NewEvent, type StoredEvent } from "@cahier/domain/run/EventEnvelope";
import {
  type ListOptions,
  misplaced,
  type Page,
  type ReadOptions,
  RunJournal,
  type RunRecord,
} from "@cahier/ports/RunJournal";
import { AlreadyExists, Conflict, Corrupt, Fenced, NotFound } from "@cahier/ports/StorageFault";
import * as Arr from "effect/Array";
import * as Effect from "effect/Effect";
import * as Latch from "effect/Latch";
import * as Layer from "effect/Layer";
import * as Stream from "effect/Stream";

/** The journals that views share. */
export interface Storage {
  readonly journals: Map<RunId, Journal>;
}

/** One run's journal. `grown` is there while a tail waits, and is opened by whatever changes the journal. */
interface Journal {
  readonly record: RunRecord;
  readonly events: Array<StoredEvent>;
  epoch: number;
  lastBatch: number;
  droppedTail: number;
  damage: Corrupt | null;
  removed: boolean;
  grown: Latch.Latch | null;
}

/** An empty storage object. */
export const makeStorage = (): Storage => ({ journals: new Map() });

/** A view of `storage`. An append costs the length of its batch, a page what it looks at. */
export const make = (storage: Storage = makeStorage()): RunJournal["Service"] => {
  const find = (runId: RunId) => {
    const journal = storage.journals.get(runId);
    return journal === undefined ? Effect.fail(new NotFound({ entity: "run", id: runId })) : Effect.succeed(journal);
  };

  const findWritable = Effect.fnUntraced(function* (runId: RunId) {
    const journal = yield* find(runId);
    if (journal.damage !== null) return yield* journal.damage;
    return journal;
  });

  return {
    create: Effect.fnUntraced(function* (record, history = Stream.empty) {
      const { runId } = record;
      const isFree = Effect.suspend(() =>
        storage.journals.has(runId) ? Effect.fail(new AlreadyExists({ entity: "run", id: runId })) : Effect.void,
      );
      yield* isFree;
      const journal = emptyJournal(record);
      yield* Stream.runForEach(history, (events) => restorePage(journal, events));
      yield* isFree;
      storage.journals.set(runId, journal);
    }),

    claim: Effect.fnUntraced(function* (runId, expectedEpoch, event) {
      const journal = yield* findWritable(runId);
      if (journal.epoch !== expectedEpoch) {
        return yield* new Conflict({ entity: "epoch", id: runId, expected: expectedEpoch, actual: journal.epoch });
      }
      journal.epoch += 1;
      write(journal, [event]);
      return { epoch: journal.epoch, lastSeq: journal.events.length };
    }),

    release: () => Effect.void,

    append: Effect.fnUntraced(function* (runId, position, events) {
      const journal = yield* findWritable(runId);
      const actual = journal.events.length;
      if (position.epoch < journal.epoch) {
        return yield* new Fenced({ id: runId, epoch: position.epoch, currentEpoch: journal.epoch });
      }
      if (position.epoch > journal.epoch) {
        return yield* new Conflict({ entity: "epoch", id: runId, expected: position.epoch, actual: journal.epoch });
      }
      if (position.expectedSeq !== actual) {
        return yield* new Conflict({ entity: "sequence", id: runId, expected: position.expectedSeq, actual });
      }
      write(journal, events);
      return journal.events.length;
    }),

    read: (runId, options) => Effect.map(find(runId), (journal) => page(journal, options ?? {})),

    tail: (runId, afterSeq) =>
      Stream.unwrap(Effect.map(find(runId), (journal) => tail(journal, Math.max(0, Math.trunc(afterSeq))))),

    list: (options) =>
      Effect.sync(() =>
        listed(
          Array.from(storage.journals.values(), (journal) => journal.record),
          options ?? {},
        ),
      ),

    remove: (runId) =>
      Effect.sync(() => {
        const journal = storage.journals.get(runId);
        if (journal === undefined) return;
        storage.journals.delete(runId);
        journal.removed = true;
        wakeTails(journal);
      }),
  };
};

export const layer: Layer.Layer<RunJournal> = Layer.sync(RunJournal, () => make());

/** Makes the event `seq` unreadable, as a changed byte on a disk would. Does nothing where there is no such event. */
export const damage = (storage: Storage, runId: RunId, seq: number): Effect.Effect<void> =>
  Effect.sync(() => {
    const journal = storage.journals.get(runId);
    if (journal === undefined || seq < 1 || seq > journal.events.length) return;
    journal.events.length = seq - 1;
    journal.damage = new Corrupt({ entity: "run", id: runId, detail: "The event is damaged.", line: seq, seq });
    wakeTails(journal);
  });

/** Tears the last batch, as a crash in the middle of its write would: readers skip and report it. */
export const tear = (storage: Storage, runId: RunId): Effect.Effect<void> =>
  Effect.sync(() => {
    const journal = storage.journals.get(runId);
    if (journal === undefined || journal.lastBatch === journal.events.length) return;
    journal.droppedTail = journal.events.length - journal.lastBatch;
    journal.events.length = journal.lastBatch;
  });

/** Leaves half a line after the last batch, which no append wrote. */
export const leaveHalfLine = (storage: Storage, runId: RunId): Effect.Effect<void> =>
  Effect.sync(() => {
    const journal = storage.journals.get(runId);
    if (journal !== undefined) journal.droppedTail = 1;
  });

const emptyJournal = (record: RunRecord): Journal => ({
  record,
  events: [],
  epoch: 1,
  lastBatch: 0,
  droppedTail: 0,
  damage: null,
  removed: false,
  grown: null,
});

const write = (journal: Journal, events: ReadonlyArray<NewEvent>): void => {
  if (events.length === 0) return;
  journal.lastBatch = journal.events.length;
  journal.droppedTail = 0;
  for (const event of events) journal.events.push(stored(journal, event));
  wakeTails(journal);
};

const stored = (journal: Journal, event: NewEvent): StoredEvent => ({
  seq: journal.events.length + 1,
  id: event.id,
  runId: journal.record.runId,
  timestamp: event.timestamp,
  level: event.level,
  type: event.type,
  v: event.v,
  eventScope: event.eventScope,
  ...(event.causality === undefined ? {} : { causality: event.causality }),
  payload: event.payload,
  epoch: journal.epoch,
});

const restorePage = Effect.fnUntraced(function* (journal: Journal, events: ReadonlyArray<StoredEvent>) {
  if (events.length > 0) journal.lastBatch = journal.events.length;
  for (const event of events) {
    const wrong = misplaced(journal.record, { seq: journal.events.length, epoch: journal.epoch }, event);
    if (wrong !== undefined) return yield* wrong;
    journal.events.push(event);
    journal.epoch = event.epoch;
  }
});

const wakeTails = (journal: Journal): void => {
  journal.grown?.openUnsafe();
  journal.grown = null;
};

const page = (journal: Journal, options: ReadOptions): Page => ({
  events: select(journal.events, options),
  lastSeq: journal.events.length,
  epoch: journal.epoch,
  droppedTail: journal.droppedTail,
  ...(journal.damage === null ? {} : { damage: journal.damage }),
});

/** An event stands at the index below its sequence number, so a page starts where it is asked to. */
const select = (events: ReadonlyArray<StoredEvent>, options: ReadOptions): ReadonlyArray<StoredEvent> => {
  const limit = clamp(options.limit ?? 100, 500);
  const from = Math.max(0, options.afterSeq ?? 0);
  const until = Math.min(events.length, Math.max(0, (options.beforeSeq ?? Number.POSITIVE_INFINITY) - 1));
  const backward = options.afterSeq === undefined && options.beforeSeq !== undefined;
  const { invocationId } = options;
  if (invocationId !== undefined) return selectOf(events, invocationId, { from, until, limit, backward });
  return backward
    ? events.slice(Math.max(from, until - limit), until)
    : events.slice(from, Math.min(until, from + limit));
};

const selectOf = (
  events: ReadonlyArray<StoredEvent>,
  invocationId: InvocationId,
  range: { readonly from: number; readonly until: number; readonly limit: number; readonly backward: boolean },
): ReadonlyArray<StoredEvent> => {
  const found: Array<StoredEvent> = [];
  for (let step = 0; step < range.until - range.from && found.length < range.limit; step += 1) {
    const event = events[range.backward ? range.until - 1 - step : range.from + step];
    if (event !== undefined && concerns(event, invocationId)) found.push(event);
  }
  return range.backward ? found.toReversed() : found;
};

/**
 * Looking and starting to wait happen in one synchronous step, so no append falls between them.
 */
const tail = (journal: Journal, afterSeq: number): Stream.Stream<StoredEvent, NotFound | Corrupt> =>
  Stream.fromPull(
    Effect.sync(() => {
      const cursor = { seq: afterSeq };
      const pull: Effect.Effect<Arr.NonEmptyReadonlyArray<StoredEvent>, NotFound | Corrupt> = Effect.suspend(() => {
        const next = journal.events.slice(cursor.seq, cursor.seq + tailChunk);
        if (Arr.isReadonlyArrayNonEmpty(next)) {
          cursor.seq += next.length;
          return Effect.succeed(next);
        }
        if (journal.damage !== null) return Effect.fail(journal.damage);
        if (journal.removed) return Effect.fail(new NotFound({ entity: "run", id: journal.record.runId }));
        journal.grown ??= Latch.makeUnsafe();
        return Effect.andThen(journal.grown.await, pull);
      });
      return pull;
    }),
  );

const tailChunk = 256;

const listed = (records: ReadonlyArray<RunRecord>, options: ListOptions): ReadonlyArray<RunRecord> => {
  const { before, workspaceId } = options;
  return records
    .filter((record) => workspaceId === undefined || record.workspaceId === workspaceId)
    .filter((record) => before === undefined || newestFirst(before, record) < 0)
    .toSorted(newestFirst)
    .slice(0, clamp(options.limit ?? 50, 200));
};

type Age = Pick<RunRecord, "createdAt" | "runId">;

const newestFirst = (one: Age, other: Age): number => {
  if (one.createdAt !== other.createdAt) return one.createdAt > other.createdAt ? -1 : 1;
  if (one.runId === other.runId) return 0;
  return one.runId > other.runId ? -1 : 1;
};

const clamp = (limit: number, most: number): number => Math.min(most, Math.max(1, Math.trunc(limit)));
