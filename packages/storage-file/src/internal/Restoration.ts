/**
 * Making a run of the events of another storage.
 *
 * Owns that a run appears with all of its events or not at all. Does not own pages nor lines.
 *
 * THE SCHEME. The journal is written under a name of its own beside the place of the run's journal, and synced. Then the
 * run's record is given its place in the index, which names that file and the epoch: that link is the moment of commit,
 * and only one of several can have it. What is left, `owners/<epoch>` and the journal's own name, is done by whoever looks
 * the run up next, and done again after a crash in between. A file whose record did not come to its place is never
 * looked at; the next restore of the run that comes to its end removes it, when nobody can win with it any more.
 */
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { misplaced, type Restored, type RunRecord } from "@cahier/ports/RunJournal";
import { AlreadyExists, type Corrupt, Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import * as crypto from "node:crypto";
import * as nodePath from "node:path";
import type * as Disk from "../Disk.ts";
import * as JournalLine from "../JournalLine.ts";
import * as Fault from "./fault.ts";
import * as Files from "./Files.ts";
import type { Folders } from "./Folders.ts";
import type * as RunIndex from "./RunIndex.ts";
import * as RunLayout from "./RunLayout.ts";

export interface Restoration {
  /** See `RunJournal.create` with a history. The run's ids are path segments. */
  readonly restore: <E>(
    record: RunRecord,
    pages: Stream.Stream<ReadonlyArray<StoredEvent>, E>,
  ) => Effect.Effect<void, AlreadyExists | Corrupt | Unavailable | E>;
  /** Gives a restored run's journal its own name, durably, unless it has it. */
  readonly settle: (entry: RunIndex.Entry) => Effect.Effect<void, Unavailable>;
}

export const make = (disk: Disk.Disk, folders: Folders, index: RunIndex.RunIndex): Restoration => {
  const settle = Effect.fnUntraced(function* ({ record, restored }: RunIndex.Entry) {
    if (restored === undefined) return;
    const segments = RunLayout.runFolder(record.workspaceId, record.runId);
    const made = nodePath.join(folders.path(segments), restored.name);
    if (yield* Fault.attempt(operation, () => disk.entry(made) === undefined)) return;
    const owners = yield* folders.makeDurable([...segments, RunLayout.ownersName]);
    yield* Fault.attempt(operation, () => {
      const owner = nodePath.join(owners, String(restored.epoch));
      Fault.unlessTaken(() => disk.close(disk.open(owner, "create")));
    });
    yield* Fault.attemptAsync(operation, (done) => disk.syncDirectory(owners, done));
    const folder = nodePath.dirname(owners);
    // Another process may have done it meanwhile.
    yield* Fault.attempt(operation, () =>
      Fault.orAbsent(() => disk.rename(made, nodePath.join(folder, RunLayout.journalName)), undefined),
    );
    yield* Fault.attemptAsync(operation, (done) => disk.syncDirectory(folder, done));
  });

  /** Writes all events into a new file, synced; gives the epoch of the last. */
  const writeJournal = <E>(path: string, record: RunRecord, pages: Stream.Stream<ReadonlyArray<StoredEvent>, E>) =>
    Effect.acquireUseRelease(
      Fault.attempt(operation, () => disk.open(path, "create")),
      Effect.fnUntraced(function* (descriptor) {
        const last = yield* Stream.runFoldEffect(
          pages,
          (): Restored => ({ seq: 0, epoch: 1 }),
          (before, events) => writePage(descriptor, record, before, events),
        );
        yield* Fault.attemptAsync(operation, (done) => disk.syncData(descriptor, done));
        return last.epoch;
      }),
      (descriptor) => Fault.attempt(operation, () => disk.close(descriptor)),
    );

  const writePage = Effect.fnUntraced(function* (
    descriptor: number,
    record: RunRecord,
    before: Restored,
    events: ReadonlyArray<StoredEvent>,
  ) {
    let last = before;
    for (const event of events) {
      const wrong = misplaced(record, last, event);
      if (wrong !== undefined) return yield* wrong;
      last = event;
    }
    yield* Fault.attempt(operation, () => {
      for (const batch of batchesOf(events)) {
        const [first] = batch;
        if (first !== undefined)
          Files.writeAll(disk, descriptor, JournalLine.encodeAll(record.runId, batch, first), record.runId);
      }
    });
    return last;
  });

  /** Makes the run of the written journal, whose name is not durable yet. */
  const commit = Effect.fnUntraced(function* (record: RunRecord, restored: RunIndex.Restored) {
    const segments = RunLayout.runFolder(record.workspaceId, record.runId);
    const folder = yield* folders.makeDurable(segments);
    const made = nodePath.join(folder, restored.name);
    const written = yield* Fault.attempt(operation, () => disk.entry(made));
    if (written === undefined)
      return yield* (yield* index.has(record.runId)) ? alreadyThere(record) : removedMeanwhile();
    yield* Fault.attemptAsync(operation, (done) => disk.syncDirectory(folder, done));
    if (!(yield* index.add({ record, restored }))) {
      yield* Effect.sync(() => Files.discard(disk, made));
      return yield* alreadyThere(record);
    }
    yield* settle({ record, restored });
    const journal = nodePath.join(folder, RunLayout.journalName);
    const found = yield* Fault.attempt(operation, () => disk.entry(journal));
    if (found === undefined || found.identity !== written.identity) {
      yield* index.remove(record.runId);
      return yield* removedMeanwhile();
    }
    yield* Effect.ignore(Fault.attempt(operation, () => removeStopped(disk, folder)));
  });

  return {
    settle,
    restore: <E>(record: RunRecord, pages: Stream.Stream<ReadonlyArray<StoredEvent>, E>) =>
      Effect.uninterruptibleMask(
        Effect.fnUntraced(function* (interruptible) {
          if (yield* index.has(record.runId)) return yield* alreadyThere(record);
          const name = RunLayout.restoringName(crypto.randomBytes(8).toString("hex"));
          const segments = RunLayout.runFolder(record.workspaceId, record.runId);
          yield* folders.makeDurable([]);
          const folder = yield* Fault.attempt(operation, () => folders.make(segments));
          const path = nodePath.join(folder, name);
          const epoch = yield* interruptible(writeJournal(path, record, pages)).pipe(
            Effect.onError(() => Effect.sync(() => Files.discard(disk, path))),
          );
          return yield* commit(record, { name, epoch });
        }),
      ),
  };
};

const operation = "journal.create";

const alreadyThere = ({ runId }: RunRecord): AlreadyExists => new AlreadyExists({ entity: "run", id: runId });

const removedMeanwhile = (): Unavailable =>
  new Unavailable({ operation, kind: "other", detail: "the run was removed while it was restored" });

/** How many events a batch has at most: a page reads whole batches. */
const mostInBatch = 16;

/** The events in batches of one epoch each. */
const batchesOf = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<ReadonlyArray<StoredEvent>> => {
  const batches: Array<Array<StoredEvent>> = [];
  for (const event of events) {
    const last = batches.at(-1);
    if (last !== undefined && last.length < mostInBatch && last[0]?.epoch === event.epoch) last.push(event);
    else batches.push([event]);
  }
  return batches;
};

/** Removes the journals of restores that did not come to their end: the run is there, so none of them can win. One that stays is never looked at. */
const removeStopped = (disk: Disk.Disk, folder: string): void => {
  for (const name of disk.names(folder)) {
    if (RunLayout.isRestoring(name)) Files.removeIfThere(disk, nodePath.join(folder, name));
  }
};
