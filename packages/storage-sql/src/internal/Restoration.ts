/**
 * Making a run of the events of another storage.
 *
 * Owns that a run appears with all of its events or not at all. Does not own rows nor pages.
 *
 * THE SCHEME. The events are written page by page, each page in a short transaction, under a run whose id no caller can
 * name and no list shows. One statement then gives it its own id, age and workspace: that is the moment of commit, and
 * only one of several can have the id. So a long restore holds no lock and no memory. A restore that was stopped leaves
 * its rows; the next restore of the run that comes to its end removes them, when nobody can win with them any more.
 */
import { RunId } from "@cahier/domain/identity/Identity";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { misplaced, type Restored, type RunRecord } from "@cahier/ports/RunJournal";
import { AlreadyExists, type Corrupt, Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import * as crypto from "node:crypto";
import type { Database } from "./Dialect.ts";
import * as EventRows from "./EventRows.ts";
import * as Fault from "./fault.ts";
import { isSegment } from "./names.ts";
import type { RunStatements } from "./RunStatements.ts";

/** Begins the id of every run in the making. */
export const prefix = "restore:";

/** The run that a run in the making will be; undefined for another id. */
export const runOf = (id: string): RunId | undefined => {
  const name = id.startsWith(prefix) ? id.slice(prefix.length).split(":")[0] : undefined;
  return name === undefined || !isSegment(name) ? undefined : RunId.make(name);
};

export interface Restoration {
  /** See `RunJournal.create` with a history. The run's ids are segments. */
  readonly restore: <E>(
    record: RunRecord,
    pages: Stream.Stream<ReadonlyArray<StoredEvent>, E>,
  ) => Effect.Effect<void, AlreadyExists | Corrupt | Unavailable | E>;
}

export const make = (database: Database, texts: RunStatements): Restoration => {
  const failWhenThere = Effect.fnUntraced(function* (runId: RunId) {
    const rows = yield* database.query(operation, texts.find, [runId]);
    if (rows.length > 0) return yield* new AlreadyExists({ entity: "run", id: runId });
  });

  const remove = (id: string) => database.transaction(operation, texts.remove, [id]);

  const writePage = Effect.fnUntraced(function* (
    record: RunRecord,
    key: number,
    before: Written,
    events: ReadonlyArray<StoredEvent>,
  ) {
    let last: Restored = before;
    for (const event of events) {
      const wrong = misplaced(record, last, event);
      if (wrong !== undefined) return yield* wrong;
      last = event;
    }
    let { concerned } = before;
    for (const { epoch, from, some } of withEqualEpochs(events)) {
      const made = EventRows.of(texts, { key, epoch, after: from, concerned }, some);
      if (made === undefined) return yield* Fault.invalid(operation, EventRows.withoutJson);
      const [row] = yield* Effect.uninterruptible(
        database.write(operation, {
          guard: texts.appendRestored,
          values: [key, epoch, from],
          inserts: made.inserts,
        }),
      );
      if (row === undefined) return yield* overtaken(record.runId);
      concerned = made.concerned;
    }
    return { seq: last.seq, epoch: last.epoch, concerned };
  });

  /** Somebody has removed what was written: whoever has restored the run meanwhile. */
  const overtaken = Effect.fnUntraced(function* (runId: RunId) {
    yield* failWhenThere(runId);
    const detail = "what was written of the run was removed while it was restored";
    return yield* new Unavailable({ operation, kind: "other", detail });
  });

  const commit = Effect.fnUntraced(function* (record: RunRecord, id: string) {
    const { createdAt, runId, workspaceId } = record;
    const write = { guard: texts.commitRestored, values: [id, runId, workspaceId, createdAt], inserts: [] };
    const [row] = yield* database.write(operation, write).pipe(
      // Two that commit at the same moment both find no run, and the second is refused by the key.
      Effect.tapError(() => failWhenThere(runId)),
    );
    if (row === undefined) return yield* overtaken(runId);
    database.changed(runId);
    yield* Effect.ignore(removeStopped(runId));
  });

  /** What is left of restores that did not come to their end; what stays of it is invisible. */
  const removeStopped = Effect.fnUntraced(function* (runId: RunId) {
    const first = placeholder(runId);
    const stopped = yield* database.query(operation, texts.restoring, [first, `${first}~`]);
    for (const row of stopped) yield* remove(String(row["run_id"]));
  });

  return {
    restore: <E>(record: RunRecord, pages: Stream.Stream<ReadonlyArray<StoredEvent>, E>) =>
      Effect.uninterruptibleMask(
        Effect.fnUntraced(function* (interruptible) {
          yield* failWhenThere(record.runId);
          const id = `${placeholder(record.runId)}${crypto.randomBytes(8).toString("hex")}`;
          const [made] = yield* database.write(operation, { guard: texts.create, values: [id, "", ""], inserts: [] });
          const key = Number(made?.["run_key"]);
          const written = Stream.runFoldEffect(
            pages,
            (): Written => ({ seq: 0, epoch: 1, concerned: [] }),
            (before, events) => writePage(record, key, before, events),
          );
          yield* interruptible(written).pipe(
            Effect.andThen(commit(record, id)),
            // What cannot be removed is invisible, and the next restore tries again.
            Effect.onError(() => Effect.ignore(remove(id))),
          );
        }),
      ),
  };
};

const operation = "journal.create";

/** How far a restore has come. */
interface Written extends Restored {
  readonly concerned: EventRows.Concerned;
}

/** The beginning of an id that is no segment, so that it belongs to no run. */
const placeholder = (runId: RunId): string => `${prefix}${runId}:`;

/** The events in parts of one epoch each; `from` is the number before the part's first. */
const withEqualEpochs = (events: ReadonlyArray<StoredEvent>) => {
  const parts: Array<{ readonly epoch: number; readonly from: number; readonly some: Array<StoredEvent> }> = [];
  for (const event of events) {
    const last = parts.at(-1);
    if (last?.epoch === event.epoch) last.some.push(event);
    else parts.push({ epoch: event.epoch, from: event.seq - 1, some: [event] });
  }
  return parts;
};
