/**
 * What every change of a run at rest has in common: nobody works on it, it is let go again, and people see the change.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { draft } from "@cahier/domain/run/RunEvent";
import type { RunState } from "@cahier/domain/run/RunState";
import { isTerminal } from "@cahier/domain/run/RunStatus";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import { foregroundOf } from "../run/claimRun.ts";
import { mirrorRun } from "../run/mirrorRun.ts";
import { Ownership } from "../run/Ownership.ts";
import { summariesCollection } from "../run/RunSummary.ts";
import type { RunWriter } from "../run/RunWriter.ts";

/**
 * Nobody works on a run that waits for an answer or has ended. One that works, or that is to be taken up, is
 * `agent.rollback_unavailable`.
 */
export const requireRest = Effect.fnUntraced(function* (
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

/** Writes down that nobody carries the run on. */
export const release = (writer: RunWriter, reason: string): Effect.Effect<void, Fatal> =>
  Effect.suspend(() => {
    writer.record(draft("run_owner_changed", foregroundOf(writer), { owner: null, reason }));
    return writer.flush;
  });

/** Lets go of a run that was claimed for a change. */
export const letGo = Effect.fnUntraced(function* (runId: RunId): Effect.fn.Return<void, never, RunJournal | Ownership> {
  const journal = yield* RunJournal;
  const ownership = yield* Ownership;
  yield* journal.release(runId);
  ownership.letGo(runId);
});

/** What is made of the journal for people follows it; that it could not be made takes nothing from the rollback. */
export const showRun = Effect.fnUntraced(function* (
  runId: RunId,
): Effect.fn.Return<void, never, RunJournal | BlobStore | DocumentStore> {
  const documents = yield* DocumentStore;
  yield* Effect.ignore(documents.remove(summariesCollection, runId));
  yield* mirrorRun(runId).pipe(
    Effect.catch((failure) => Effect.logWarning(`The readable tree of ${runId} is not whole: ${failure.message}`)),
  );
});
