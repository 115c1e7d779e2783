/**
 * Takes the workspace of a run back to a checkpoint.
 *
 * Owns when that is possible, and that it can be undone. The files come from the fold and nothing is copied; what reached
 * the chat stays there.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { CheckpointId, RunId } from "@cahier/domain/identity/Identity";
import { type CheckpointReason, checkpointOf, checkpointsOf, nextCheckpointId } from "@cahier/domain/run/checkpoint";
import { compareFiles, type FileChangeStatus } from "@cahier/domain/run/compareFiles";
import { draft } from "@cahier/domain/run/RunEvent";
import type { CheckpointState, RunState } from "@cahier/domain/run/RunState";
import { isTerminal } from "@cahier/domain/run/RunStatus";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import { RunMirror } from "@cahier/ports/RunMirror";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import { claimRun, foregroundOf } from "../run/claimRun.ts";
import { loadWritable } from "../run/loadState.ts";
import { mirrorRun } from "../run/mirrorRun.ts";
import { Ownership } from "../run/Ownership.ts";
import { absent } from "../run/RunPoint.ts";
import { summariesCollection } from "../run/RunSummary.ts";
import type { RunWriter } from "../run/RunWriter.ts";

/** One file that is another one than before, or is there or gone again. */
export interface RolledBackFile {
  readonly path: string;
  readonly status: FileChangeStatus;
}

/** `undo` is the checkpoint of the files as they were before; null when nothing has changed. */
export interface RolledBack {
  readonly runId: RunId;
  readonly checkpointId: CheckpointId;
  readonly changes: ReadonlyArray<RolledBackFile>;
  readonly undo: CheckpointId | null;
}

/**
 * Gives a run that waits or has ended the files of a checkpoint. A run that works, or that is to be taken up, is
 * `agent.rollback_unavailable`. Files that are as they were at the checkpoint change nothing, and nothing is recorded then.
 */
export const rollBack = Effect.fn("Runs.rollBack")(function* (
  runId: RunId,
  checkpointId: string,
): Effect.fn.Return<RolledBack, Fatal, RunJournal | BlobStore | DocumentStore | Ownership> {
  const journal = yield* RunJournal;
  const { state } = yield* loadWritable(journal, runId);
  yield* requireRest(runId, state);
  const checkpoint = checkpointOf(state, checkpointId);
  if (checkpoint === undefined) return yield* absent(checkpointId, state);
  const nothing = { runId, checkpointId: checkpoint.id, changes: [], undo: null };
  if (changesTo(state, checkpoint).length === 0) return nothing;
  const writer = yield* claimRun(runId, "evenEnded");
  const done = yield* recorded(writer, checkpoint).pipe(Effect.ensuring(letGo(runId)));
  yield* showFiles(runId, writer.state(), done.changes);
  return done;
});

const changesTo = (state: RunState, { files }: CheckpointState): ReadonlyArray<RolledBackFile> =>
  compareFiles(state.files, files).map(({ path, status }) => ({ path, status }));

/** Nobody works on the files of a run that waits for an answer or has ended. */
const requireRest = Effect.fnUntraced(function* (
  runId: RunId,
  { owner, status }: RunState,
): Effect.fn.Return<void, Fatal, Ownership> {
  const ownership = yield* Ownership;
  if (owner !== null && !isTerminal(status) && (yield* ownership.isCarriedOn(runId, owner)))
    return yield* fatal(
      "agent.rollback_unavailable",
      `Process ${owner.pid} on ${owner.machine} is carrying the run on. Wait for it or cancel the run; then roll it back.`,
    );
  if (!isTerminal(status) && status !== "awaiting_approval")
    return yield* fatal(
      "agent.rollback_unavailable",
      "The run was interrupted. Resume or cancel it; then roll it back.",
    );
});

/** One append: a name for the files as they are, unless they have one, and what becomes of them. */
const recorded = Effect.fnUntraced(function* (
  writer: RunWriter,
  checkpoint: CheckpointState,
): Effect.fn.Return<RolledBack, Fatal> {
  const invocationId = foregroundOf(writer);
  const changes = changesTo(writer.state(), checkpoint);
  const reason: CheckpointReason = "rollback";
  const named = checkpointsOf(writer.state()).findLast((one) => changesTo(writer.state(), one).length === 0);
  const undo = named?.id ?? nextCheckpointId(writer.state());
  if (named === undefined) writer.record(draft("checkpoint_created", invocationId, { checkpointId: undo, reason }));
  writer.record(
    draft("run_rolled_back", invocationId, {
      scope: "workspace",
      checkpointId: checkpoint.id,
      seq: checkpoint.seq,
      changes,
    }),
    draft("run_owner_changed", invocationId, { owner: null, reason: "rolled_back" }),
  );
  yield* writer.flush;
  return { runId: writer.runId, checkpointId: checkpoint.id, changes, undo };
});

const letGo = Effect.fnUntraced(function* (runId: RunId): Effect.fn.Return<void, never, RunJournal | Ownership> {
  const journal = yield* RunJournal;
  const ownership = yield* Ownership;
  yield* journal.release(runId);
  ownership.letGo(runId);
});

/** What is made of the journal for people follows it; that it could not be made takes nothing from the rollback. */
const showFiles = Effect.fnUntraced(function* (
  runId: RunId,
  { workspaceId }: RunState,
  changes: ReadonlyArray<RolledBackFile>,
): Effect.fn.Return<void, never, RunJournal | BlobStore | DocumentStore> {
  const documents = yield* DocumentStore;
  yield* Effect.ignore(documents.remove(summariesCollection, runId));
  const mirror = yield* Effect.serviceOption(RunMirror);
  if (Option.isSome(mirror) && workspaceId !== null)
    yield* Effect.forEach(
      changes.filter(({ status }) => status === "deleted"),
      ({ path }) => Effect.ignore(mirror.value.remove({ runId, workspaceId }, path)),
      { discard: true },
    );
  yield* mirrorRun(runId).pipe(
    Effect.catch((failure) => Effect.logWarning(`The readable tree of ${runId} is not whole: ${failure.message}`)),
  );
});
