/**
 * RunJournal on files: `agent-workspaces/chats/<workspaceId>/runs/<runId>/events.jsonl`.
 *
 * Owns how a run is made, found, followed and removed. Does not own the line format (`JournalLine`), nor which lines
 * count, nor appending and claiming (`internal/`). Beside the journal lie `owners/<epoch>`, one empty file per claim,
 * `events.jsonl.cut-<n>`, the bytes of torn ends, and `events.jsonl.restore-<digits>`, journals in the making
 * (`internal/Restoration`); `agent-workspaces/index/runs/<runId>.json` says where a run is.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import type { NewEvent, StoredEvent } from "@cahier/domain/run/EventEnvelope";
import * as RunJournal from "@cahier/ports/RunJournal";
import { AlreadyExists, type Corrupt, type NotFound } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import type * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import * as nodePath from "node:path";
import * as Fault from "./internal/fault.ts";
import * as Folders from "./internal/Folders.ts";
import * as Restoration from "./internal/Restoration.ts";
import * as RunFile from "./internal/RunFile.ts";
import * as RunIndex from "./internal/RunIndex.ts";
import * as RunLayout from "./internal/RunLayout.ts";
import * as NodeDisk from "./NodeDisk.ts";

/** The data folder, and the disk that holds it (default: this machine's). */
export type Options = Folders.Options;

/** A journal over a data folder. What it has open is closed with the scope. */
export const make = Effect.fnUntraced(function* (
  options: Options,
): Effect.fn.Return<RunJournal.RunJournal["Service"], never, Scope.Scope> {
  const disk = options.disk ?? NodeDisk.make();
  const folders = Folders.make(disk, options.directory);
  const index = RunIndex.make(disk, folders);
  const restoration = Restoration.make(disk, folders, index);
  const runs = new Map<RunId, RunFile.RunFile>();

  /** Of runs that nothing is done with only the last few are kept, for what was read of them. */
  const forgetIdle = (): void => {
    for (const [runId, run] of runs) {
      if (runs.size <= mostIdle) return;
      if (run.isIdle()) runs.delete(runId);
    }
  };

  const lookUp = (runId: RunId) =>
    Effect.flatMap(index.find(runId), (entry) =>
      Effect.map(restoration.settle(entry), () => {
        // Another fiber may have opened the run meanwhile, and a run has one queue.
        const run = runs.get(runId) ?? RunFile.make(disk, folders, entry.record);
        runs.set(runId, run);
        return run;
      }),
    );

  /** A run that is not where it was may have been removed and made again elsewhere: it is looked up once more. */
  const withRun = <A, E, R>(
    runId: RunId,
    use: (run: RunFile.RunFile) => Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E | RunJournal.ReadFault, R> => {
    const run = runs.get(runId);
    const lookedUp = Effect.flatMap(lookUp(runId), use).pipe(Effect.ensuring(Effect.sync(forgetIdle)));
    if (run === undefined) return lookedUp;
    return Effect.catchIf(use(run), isNotFound, () => {
      if (runs.get(runId) === run) runs.delete(runId);
      return lookedUp;
    });
  };

  const createEmpty = Effect.fn("FileRunJournal.create")(function* (record: RunJournal.RunRecord) {
    const { runId, workspaceId } = record;
    if (!RunLayout.isSegment(runId) || !RunLayout.isSegment(workspaceId)) {
      return yield* Fault.invalid(creating, malformedId);
    }
    if (yield* index.has(runId)) return yield* new AlreadyExists({ entity: "run", id: runId });
    const segments = RunLayout.runFolder(workspaceId, runId);
    const withOwners = [...segments, RunLayout.ownersName];
    yield* folders.makeDurable([]);
    const owners = yield* Fault.attempt(creating, () => makeFiles(withOwners));
    // From the inside out: what is synced is there before the names that lead to it.
    yield* Fault.attemptAsync(creating, (done) => disk.syncDirectory(owners, done));
    yield* folders.makeDurable(withOwners);
    const added = yield* index.add({ record });
    if (!added) return yield* new AlreadyExists({ entity: "run", id: runId });
    if (!runs.has(runId)) runs.set(runId, RunFile.make(disk, folders, record));
  }, Effect.uninterruptible);

  const create: RunJournal.RunJournal["Service"]["create"] = (record, history) => {
    if (history === undefined) return createEmpty(record);
    return RunLayout.isSegment(record.runId) && RunLayout.isSegment(record.workspaceId)
      ? Effect.withSpan(restoration.restore(record, history), "FileRunJournal.restore")
      : Effect.fail(Fault.invalid("journal.create", malformedId));
  };

  /**
   * The empty files of a new run; gives its folder of owners. A file that is there already is of a creation that is
   * under way or did not come to its end. They hold no bytes, so that their names are all there is to sync.
   */
  const makeFiles = (withOwners: ReadonlyArray<string>): string => {
    const owners = folders.make(withOwners);
    for (const path of [nodePath.join(nodePath.dirname(owners), RunLayout.journalName), nodePath.join(owners, "1")])
      Fault.unlessTaken(() => disk.close(disk.open(path, "create")));
    return owners;
  };

  /** The way of every append but the first: a run that is open is written to; whatever else it needs is the long way. */
  const append: RunJournal.RunJournal["Service"]["append"] = (runId, position, events) => {
    const long = () => withRun(runId, (run) => run.append(position, events));
    const run = runs.get(runId);
    return run === undefined
      ? long()
      : Effect.uninterruptible(Effect.filterOrElse(run.submit(position, events), isAppended, long));
  };

  const claim = Effect.fn("FileRunJournal.claim")(function* (runId: RunId, expectedEpoch: number, event: NewEvent) {
    return yield* withRun(runId, (run) => run.claim(expectedEpoch, event));
  }, Effect.uninterruptible);

  const release = Effect.fn("FileRunJournal.release")(function* (runId: RunId) {
    const run = runs.get(runId);
    // A descriptor that does not close is gone all the same, and what it wrote was synced before.
    if (run !== undefined) yield* Effect.ignore(run.release);
    forgetIdle();
  });

  const read = Effect.fn("FileRunJournal.read")(function* (runId: RunId, readOptions: RunJournal.ReadOptions = {}) {
    return yield* withRun(runId, (run) => run.page(readOptions));
  });

  const tail = (runId: RunId, afterSeq: number): Stream.Stream<StoredEvent, RunJournal.ReadFault | Corrupt> =>
    Stream.unwrap(
      withRun(runId, (run) =>
        Effect.map(
          Effect.acquireRelease(run.follow, (signal) => Effect.sync(signal.stop)),
          (signal) => Stream.paginate(afterSeq, (after) => nextEvents(run, signal, after)),
        ),
      ),
    );

  const remove = Effect.fn("FileRunJournal.remove")(function* (runId: RunId) {
    yield* Effect.catchIf(
      withRun(runId, (run) => Effect.andThen(run.remove, index.remove(runId))),
      isNotFound,
      () => Effect.void,
    );
    runs.delete(runId);
  }, Effect.uninterruptible);

  yield* Effect.addFinalizer(() =>
    Effect.forEach(runs.values(), (run) => Effect.ignore(run.release), { discard: true }),
  );

  return RunJournal.RunJournal.of({
    create,
    claim,
    release,
    append,
    read,
    tail,
    list: index.list,
    remove,
  });
});

/** RunJournal on files. */
export const layer = (options: Options): Layer.Layer<RunJournal.RunJournal> =>
  Layer.effect(RunJournal.RunJournal, make(options));

const creating = "journal.create";
const malformedId = "a run id and a workspace id are one path segment each";

/** Runs that are kept although nothing is done with them. */
const mostIdle = 16;

const isAppended = (lastSeq: number | undefined): lastSeq is number => lastSeq !== undefined;

const isNotFound = (fault: unknown): fault is NotFound =>
  typeof fault === "object" && fault !== null && "_tag" in fault && fault._tag === "NotFound";

/** The next events behind `after`, waiting for them; and the place behind them. */
const nextEvents = Effect.fnUntraced(function* (run: RunFile.RunFile, signal: RunFile.Signal, after: number) {
  for (;;) {
    signal.lower();
    const page = yield* run.page({ afterSeq: after, limit: 500 });
    const last = page.events.at(-1);
    if (last !== undefined) return [page.events, Option.some(last.seq)] as const;
    if (page.damage !== undefined) return yield* page.damage;
    yield* signal.raised;
  }
});
