/**
 * Takes the workspace of a run back to a checkpoint.
 *
 * Owns when that is possible, and that it can be undone. The files come from the fold and nothing is copied; what reached
 * the chat stays there: `rollBackMessage` takes that back.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { CheckpointId, RunId } from "@cahier/domain/identity/Identity";
import { type CheckpointReason, checkpointOf, checkpointsOf, nextCheckpointId } from "@cahier/domain/run/checkpoint";
import { compareFiles, type FileChangeStatus } from "@cahier/domain/run/compareFiles";
import { draft } from "@cahier/domain/run/RunEvent";
import type { CheckpointState, RunState } from "@cahier/domain/run/RunState";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Payloads from "../payload/Payloads.ts";
import { claimRun, foregroundOf } from "../run/claimRun.ts";
import { loadWritable } from "../run/loadState.ts";
import type { Ownership } from "../run/Ownership.ts";
import { absent } from "../run/RunPoint.ts";
import type { RunWriter } from "../run/RunWriter.ts";
import * as WorkspaceFiles from "../workspace/WorkspaceFiles.ts";
import { letGo, requireRest, showRun } from "./atRest.ts";

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
 * A checkpoint whose contents are gone is refused with their code.
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
  yield* requireContents(runId, state, checkpoint);
  const writer = yield* claimRun(runId, "evenEnded");
  const done = yield* recorded(writer, checkpoint).pipe(Effect.ensuring(letGo(runId)));
  yield* showRun(runId);
  return done;
});

const changesTo = (state: RunState, { files }: CheckpointState): ReadonlyArray<RolledBackFile> =>
  compareFiles(state.files, files).map(({ path, status }) => ({ path, status }));

/** Files whose content is gone, as that of a slim run is, would be there and could not be read: nothing is given back then. */
const requireContents = Effect.fnUntraced(function* (
  runId: RunId,
  state: RunState,
  { files, id }: CheckpointState,
): Effect.fn.Return<void, Fatal, RunJournal | BlobStore> {
  const contents = WorkspaceFiles.make(yield* Payloads.make(runId));
  for (const { after } of compareFiles(state.files, files)) {
    if (after === null) continue;
    yield* contents
      .content(after)
      .pipe(
        Effect.mapError(({ message, reason }) =>
          fatal(
            reason.code,
            `The files of ${id} cannot be given back: ${after.path} is not whole any more. ${message}`,
          ),
        ),
      );
  }
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
