/**
 * What in a storage can be mended without losing anything, and mending it.
 *
 * Owns what counts as old enough to be left over. Does not own what cannot be mended: a damaged journal and content that is
 * gone are named by `checkRuns` and need a backup.
 */
import { classifyStorage } from "@cahier/application/failure/classifyStorage";
import { collectBlobs } from "@cahier/application/retention/collectBlobs";
import { allRecords } from "@cahier/application/run/allRecords";
import { loadState } from "@cahier/application/run/loadState";
import { mirrorRun } from "@cahier/application/run/mirrorRun";
import { Ownership } from "@cahier/application/run/Ownership";
import { summariesCollection } from "@cahier/application/run/RunSummary";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { isTerminal } from "@cahier/domain/run/RunStatus";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal, type RunRecord } from "@cahier/ports/RunJournal";
import { RunMirror } from "@cahier/ports/RunMirror";
import type { Unavailable } from "@cahier/ports/StorageFault";
import * as FileLeftovers from "@cahier/storage-file/FileLeftovers";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Redacted from "effect/Redacted";
import type * as Storage from "../composition/Storage.ts";

/** Something to mend: what it is, and the way to mend it, which says what was done. */
export interface Mendable {
  readonly what: string;
  readonly mend: Effect.Effect<string, Fatal>;
}

/** Everything that is found. Looking changes nothing. */
export const mendables = Effect.fn("doctor.mendables")(function* (chosen: Storage.Chosen) {
  return [
    ...(yield* tornEnds),
    ...(yield* damagedSummaries),
    ...(yield* chosen.kind === "files" ? leftFiles(chosen.directory) : leftRows(chosen)),
  ];
});

/**
 * What is made anew or collected whether or not somebody found it missing: content that nothing refers to, and the readable
 * trees. Gives what was done.
 */
export const tidy = Effect.fn("doctor.tidy")(function* () {
  const collected = yield* collectBlobs().pipe(
    Effect.map(({ blobs, bytes }) =>
      blobs === 0 ? [] : [`collected ${blobs} blobs that nothing refers to, ${bytes} bytes`],
    ),
    Effect.catch(({ message, reason }: Fatal) =>
      Effect.succeed([`not mended: content that is left behind was not collected: ${message} [${reason.code}]`]),
    ),
  );
  const trees = yield* shownTrees;
  return [...collected, ...(trees === 0 ? [] : [`made ${trees} readable trees anew`])];
});

/** A file that was written to within this time may belong to somebody who is still at it. */
const restMs = 3_600_000;

/** The end of an append that a crash cut: it never counted, and the next writer puts it aside. */
const tornEnds = Effect.gen(function* () {
  const journal = yield* RunJournal;
  const found = yield* Effect.forEach(yield* allRecords(), (record) => Effect.option(tornEnd(journal, record)));
  return found.flatMap((one) => (Option.isSome(one) ? one.value : []));
});

const tornEnd = Effect.fnUntraced(function* (journal: RunJournal["Service"], { runId }: RunRecord) {
  const ownership = yield* Ownership;
  const { damage, droppedTail, epoch, lastSeq } = yield* journal.read(runId, { limit: 1 });
  if (damage !== undefined || droppedTail === 0) return [];
  const { state } = yield* loadState(journal, runId);
  // Whoever carries the run on may be writing those very lines.
  if (state.owner !== null && (yield* ownership.isCarriedOn(runId, state.owner))) return [];
  const mendable: Mendable = {
    what: `${runId} ends with ${droppedTail} lines of an append that was cut off`,
    mend: journal
      .append(runId, { epoch, expectedSeq: lastSeq }, [])
      .pipe(
        Effect.andThen(journal.release(runId)),
        Effect.as(`${runId}: the lines of an append that was cut off are put aside, beside its journal`),
        Effect.mapError(classifyStorage),
      ),
  };
  return [mendable];
});

/** Summaries are made of journals and can be made again. */
const damagedSummaries = Effect.gen(function* () {
  const documents = yield* DocumentStore;
  const { damaged } = yield* documents.list(summariesCollection).pipe(Effect.mapError(classifyStorage));
  return damaged.map(({ id }): Mendable => ({
    what: `the summary of ${id} cannot be read`,
    mend: documents
      .remove(summariesCollection, id)
      .pipe(Effect.as(`${id}: its summary is removed and will be made anew`), Effect.mapError(classifyStorage)),
  }));
});

const leftFiles = Effect.fnUntraced(function* (directory: string) {
  const options = { directory };
  const found = yield* FileLeftovers.list(options).pipe(Effect.mapError(classifyStorage));
  const old = found.filter(
    ({ kind, modified }) => (kind === "temporary" || kind === "restore") && modified < Date.now() - restMs,
  );
  return old.map((leftover): Mendable => ({
    what: `${leftover.path} is left of a write that was stopped`,
    mend: FileLeftovers.remove(options, leftover).pipe(
      Effect.as(`${leftover.path}: removed, ${leftover.bytes} bytes`),
      Effect.mapError(classifyStorage),
    ),
  }));
});

const leftRows = Effect.fnUntraced(function* (chosen: Exclude<Storage.Chosen, { kind: "files" }>) {
  const { SqlDatabase, SqlMaintenance } = yield* sqlModules;
  const open =
    chosen.kind === "sqlite"
      ? SqlDatabase.sqlite({ filename: chosen.filename })
      : SqlDatabase.postgres({ url: Redacted.value(chosen.url), maxConnections: 1 });
  const database = yield* Effect.mapError(open, (fault) =>
    fault._tag === "Unavailable" ? classifyStorage(fault) : fatal(fault.code, fault.detail),
  );
  const found = yield* SqlMaintenance.leftovers(database).pipe(Effect.mapError(classifyStorage));
  return found.map((leftover): Mendable => ({
    what: `${leftover.events} events of ${leftover.runId} are of a copy that was stopped, or is under way`,
    mend: SqlMaintenance.remove(database, leftover).pipe(
      Effect.as(`${leftover.runId}: the events of a copy that was stopped are removed; a run of that id stays`),
      Effect.mapError((fault: Unavailable) => classifyStorage(fault)),
    ),
  }));
});

/** A database's code is loaded when one is examined. */
const sqlModules = Effect.promise(async () => {
  const [SqlDatabase, SqlMaintenance] = await Promise.all([
    import("@cahier/storage-sql/SqlDatabase"),
    import("@cahier/storage-sql/SqlMaintenance"),
  ]);
  return { SqlDatabase, SqlMaintenance };
});

/** Trees are projections: those of runs that rest are made anew, where the storage shows any. Gives how many. */
const shownTrees = Effect.gen(function* () {
  if (Option.isNone(yield* Effect.serviceOption(RunMirror))) return 0;
  const journal = yield* RunJournal;
  const made = yield* Effect.forEach(yield* allRecords(), ({ runId }) =>
    Effect.gen(function* () {
      const { state } = yield* loadState(journal, runId);
      if (!isTerminal(state.status) && state.status !== "awaiting_approval") return 0;
      yield* mirrorRun(runId);
      return 1;
    }).pipe(Effect.orElseSucceed(() => 0)),
  );
  return made.reduce((sum, one) => sum + one, 0);
});
