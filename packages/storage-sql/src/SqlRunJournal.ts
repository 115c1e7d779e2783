/**
 * RunJournal in tables.
 *
 * Owns how a run is made, claimed, appended to, read, followed and removed. The fence stands in the statement that
 * writes: an append inserts only where the run's epoch and the number of its last event are the caller's, and a claim
 * raises `epoch` only where it is the expected one. When a run is claimed or comes to rest, its row says up to where it
 * goes. A database has no torn end, so a page never reports one.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import type { NewEvent, StoredEvent } from "@cahier/domain/run/EventEnvelope";
import * as RunJournal from "@cahier/ports/RunJournal";
import { AlreadyExists, Conflict, type Corrupt, Fenced, NotFound } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import * as Stream from "effect/Stream";
import type { Database, Rows } from "./internal/Dialect.ts";
import * as EventBody from "./internal/EventBody.ts";
import * as EventRows from "./internal/EventRows.ts";
import * as Fault from "./internal/fault.ts";
import { isSegment } from "./internal/names.ts";
import * as Restoration from "./internal/Restoration.ts";
import type { Signal } from "./internal/RunSignals.ts";
import * as RunStatements from "./internal/RunStatements.ts";
import * as Soundness from "./internal/Soundness.ts";
import { SqlDatabase } from "./SqlDatabase.ts";

/** A journal over an open database. */
export const make = (database: Database): RunJournal.RunJournal["Service"] => {
  const texts = RunStatements.make(database.dialect);
  const soundness = Soundness.make(database);
  const restoration = Restoration.make(database, texts);

  const find = Effect.fnUntraced(function* (operation: string, runId: RunId) {
    const rows = isSegment(runId) ? yield* database.query(operation, texts.find, [runId]) : [];
    return RunStatements.runOf(rows[0]) ?? (yield* new NotFound({ entity: "run", id: runId }));
  });

  /** The run and how much of it is whole. Events that seem to be missing may be those of a run that was just removed. */
  const inspect = Effect.fnUntraced(function* (
    operation: string,
    runId: RunId,
  ): Effect.fn.Return<
    { readonly run: RunStatements.RunRow; readonly standing: Soundness.Standing },
    RunJournal.ReadFault
  > {
    const run = yield* find(operation, runId);
    const standing = yield* soundness.check(runId, run);
    if (standing.damage === undefined || (yield* find(operation, runId)).key === run.key) return { run, standing };
    return yield* inspect(operation, runId);
  });

  const createEmpty = Effect.fn("SqlRunJournal.create")(function* (record: RunJournal.RunRecord) {
    const { createdAt, runId, workspaceId } = record;
    if (!isSegment(runId) || !isSegment(workspaceId)) {
      return yield* Fault.invalid(creating, malformedId);
    }
    const rows = yield* database.write(creating, {
      guard: texts.create,
      values: [runId, workspaceId, createdAt],
      inserts: [],
    });
    if (rows.length === 0) return yield* new AlreadyExists({ entity: "run", id: runId });
    database.changed(runId);
  }, Effect.uninterruptible);

  const create: RunJournal.RunJournal["Service"]["create"] = (record, history) => {
    if (history === undefined) return createEmpty(record);
    return isSegment(record.runId) && isSegment(record.workspaceId)
      ? Effect.withSpan(restoration.restore(record, history), "SqlRunJournal.restore")
      : Effect.fail(Fault.invalid(creating, malformedId));
  };

  /** What the event `seq` concerns; nothing before the first event, and beyond the last one. */
  const concernedAt = Effect.fnUntraced(function* (operation: string, runId: RunId, key: number, seq: number) {
    const [row] = seq === 0 ? [] : yield* database.query(operation, texts.rowOf, [key, seq]);
    if (row === undefined) return [];
    const events = EventBody.decode(runId, row, (number) => number === seq);
    if (events === undefined) return yield* Soundness.damageAt(runId, Number(row["seq"]));
    return events.flatMap((event) => EventRows.concernedBy(event.eventScope));
  });

  const append = Effect.fnUntraced(
    function* (runId: RunId, position: RunJournal.Position, events: ReadonlyArray<NewEvent>) {
      const { epoch, expectedSeq } = position;
      for (;;) {
        const { concerned, damage, key, upTo } = soundness.known(runId) ?? (yield* inspect(appending, runId)).standing;
        if (damage !== undefined) return yield* damage;
        const before =
          concerned !== undefined && upTo === expectedSeq
            ? concerned
            : yield* concernedAt(appending, runId, key, expectedSeq);
        const made = EventRows.of(texts, { key, epoch, after: expectedSeq, concerned: before }, events);
        if (made === undefined) return yield* Fault.invalid(appending, EventRows.withoutJson);
        const isLast = isLetGo(events.at(-1));
        const rows = yield* database.write(appending, {
          guard: isLast ? texts.appendLast(events.length) : texts.append,
          guardedRow: isLast ? undefined : texts.appendRow,
          values: [key, epoch, expectedSeq],
          origin: key,
          inserts: made.inserts,
        });
        if (rows.length > 0) {
          const lastSeq = expectedSeq + events.length;
          soundness.advance(runId, key, expectedSeq, lastSeq, made.concerned);
          database.changed(runId);
          return lastSeq;
        }
        const run = yield* find(appending, runId);
        if (run.key === key && !isAsKnown(position, run)) return yield* refusal(runId, position, run);
        // The run was removed and made again, and what was known is of the one before; or events are missing.
        soundness.forget(runId);
      }
    },
    (effect, runId) => Effect.uninterruptible(Fault.malformedAsCorrupt("run", runId)(effect)),
  );

  /** A claim takes the run at whatever number it has got to, and never below what was looked at. */
  const claim = Effect.fn("SqlRunJournal.claim")(
    function* (runId: RunId, expectedEpoch: number, event: NewEvent) {
      for (;;) {
        const { run, standing } = yield* inspect(claiming, runId);
        if (standing.damage !== undefined) return yield* standing.damage;
        const { epoch: actual, key, lastSeq: after } = run;
        if (actual !== expectedEpoch) {
          return yield* new Conflict({ entity: "epoch", id: runId, expected: expectedEpoch, actual });
        }
        const epoch = expectedEpoch + 1;
        const concerned = yield* concernedAt(claiming, runId, key, after);
        const made = EventRows.of(texts, { key, epoch, after, concerned }, [event]);
        if (made === undefined) return yield* Fault.invalid(claiming, EventRows.withoutJson);
        const rows = yield* database.write(claiming, {
          guard: texts.claim,
          values: [key, expectedEpoch, after],
          inserts: made.inserts,
        });
        if (rows.length === 0) continue;
        soundness.advance(runId, key, after, after + 1, made.concerned);
        database.changed(runId);
        return { epoch, lastSeq: after + 1 };
      }
    },
    (effect, runId) => Effect.uninterruptible(Fault.malformedAsCorrupt("run", runId)(effect)),
  );

  /** That the row cannot be written takes nothing from the journal: only less that goes missing would be noticed. */
  const release = Effect.fn("SqlRunJournal.release")(function* (runId: RunId) {
    const known = soundness.known(runId);
    soundness.forget(runId);
    if (known === undefined) return;
    yield* Effect.gen(function* () {
      const run = yield* find(releasing, runId);
      if (run.key === known.key && run.restSeq < known.upTo)
        yield* database.transaction(releasing, [texts.rest], [known.key, known.upTo]);
    }).pipe(Effect.ignore);
  }, Effect.uninterruptible);

  /** The rows of a page, and where the run stands. What is known of a run is mostly all that there is to know. */
  const rowsOfPage = Effect.fnUntraced(function* (
    runId: RunId,
    options: RunJournal.ReadOptions,
  ): Effect.fn.Return<PageRows, RunJournal.ReadFault> {
    const known = soundness.known(runId);
    if (known !== undefined) {
      const query = texts.page(runId, known.key, known.upTo, options);
      const rows = yield* database.query(reading, query.text, query.values);
      const run = RunStatements.runOf(rows[0]);
      const isAll = run?.key === known.key && (run.lastSeq <= known.upTo || known.damage !== undefined);
      if (isAll) return { query, rows, run, standing: known };
    }
    const { run, standing } = yield* inspect(reading, runId);
    const query = texts.page(runId, run.key, Math.min(run.lastSeq, standing.upTo), options);
    return { query, rows: yield* database.query(reading, query.text, query.values), run, standing };
  });

  const page = Effect.fnUntraced(function* (runId: RunId, options: RunJournal.ReadOptions) {
    const { query, rows, run, standing } = yield* rowsOfPage(runId, options);
    const ofEvents = rows.filter((row) => row["seq"] !== null);
    const decoded = ofEvents.map((row) => EventBody.decode(runId, row, query.isWanted));
    const unreadable = decoded.indexOf(undefined);
    const damage =
      unreadable === -1 ? standing.damage : Soundness.damageAt(runId, Number(ofEvents[unreadable]?.["seq"]));
    return {
      events: query.cut(
        decoded.slice(0, unreadable === -1 ? decoded.length : unreadable).flatMap((some) => some ?? []),
      ),
      lastSeq: damage?.seq === undefined ? run.lastSeq : damage.seq - 1,
      epoch: run.epoch,
      droppedTail: 0,
      ...(damage === undefined ? {} : { damage }),
    };
  });

  const read = Effect.fn("SqlRunJournal.read")((runId: RunId, options: RunJournal.ReadOptions = {}) =>
    page(runId, options),
  );

  /** The next events behind `after`, waiting for them; and the place behind them. */
  const nextEvents = Effect.fnUntraced(function* (runId: RunId, signal: Signal, after: number) {
    for (;;) {
      signal.lower();
      const next: RunJournal.Page = yield* page(runId, { afterSeq: after, limit: 500 });
      const last = next.events.at(-1);
      if (last !== undefined) return [next.events, Option.some(last.seq)] as const;
      if (next.damage !== undefined) return yield* next.damage;
      yield* signal.raised;
    }
  });

  const tail = (runId: RunId, afterSeq: number): Stream.Stream<StoredEvent, RunJournal.ReadFault | Corrupt> =>
    Stream.unwrap(
      Effect.gen(function* () {
        yield* find(reading, runId);
        const signal = yield* database.follow(runId);
        return Stream.paginate(afterSeq, (after) => nextEvents(runId, signal, after));
      }),
    );

  const list = Effect.fn("SqlRunJournal.list")(function* (options: RunJournal.ListOptions = {}) {
    const query = texts.list(options);
    return (yield* database.query("journal.list", query.text, query.values)).map(RunStatements.recordOf);
  });

  const remove = Effect.fn("SqlRunJournal.remove")(function* (runId: RunId) {
    if (!isSegment(runId)) return;
    yield* database.transaction("journal.remove", texts.remove, [runId]);
    soundness.forget(runId);
    database.changed(runId);
  }, Effect.uninterruptible);

  return RunJournal.RunJournal.of({ create, claim, release, append, read, tail, list, remove });
};

/** RunJournal in a database. */
export const layer: Layer.Layer<RunJournal.RunJournal, never, SqlDatabase> = Layer.effect(
  RunJournal.RunJournal,
  Effect.map(SqlDatabase, make),
);

interface PageRows {
  readonly query: RunStatements.PageQuery;
  readonly rows: Rows;
  readonly run: RunStatements.RunRow;
  readonly standing: Soundness.Standing;
}

/** Why an append changed nothing. */
const refusal = (
  runId: RunId,
  { epoch, expectedSeq }: RunJournal.Position,
  run: RunStatements.RunRow,
): Fenced | Conflict => {
  if (epoch < run.epoch) return new Fenced({ id: runId, epoch, currentEpoch: run.epoch });
  return epoch > run.epoch
    ? new Conflict({ entity: "epoch", id: runId, expected: epoch, actual: run.epoch })
    : new Conflict({ entity: "sequence", id: runId, expected: expectedSeq, actual: run.lastSeq });
};

/** Nobody owns a run after this event: it is at rest until it is claimed. */
const isLetGo = (event: NewEvent | undefined): boolean =>
  event?.type === "run_owner_changed" && (event.payload as { readonly owner?: unknown } | null)?.owner === null;

/** The run stands where the caller knows it to, and yet its last event is not found. */
const isAsKnown = ({ epoch, expectedSeq }: RunJournal.Position, run: RunStatements.RunRow): boolean =>
  run.epoch === epoch && run.lastSeq === expectedSeq;

const creating = "journal.create";
const appending = "journal.append";
const claiming = "journal.claim";
const releasing = "journal.release";
const reading = "journal.read";
const malformedId = "a run id and a workspace id are one path segment each";
