/**
 * Takes a run out of a storage, or all of it but its core history.
 *
 * Owns that nobody works on it meanwhile, and an order that can be broken off anywhere and done again. Does not own which
 * runs these are.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal, type RunRecord } from "@cahier/ports/RunJournal";
import { RunMirror } from "@cahier/ports/RunMirror";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { isTakenBack } from "../persist/chooseBase.ts";
import * as StateNotes from "../persist/StateNotes.ts";
import * as States from "../persist/States.ts";
import * as RequestLog from "../requests/RequestLog.ts";
import { letGo, release } from "../rollback/atRest.ts";
import { claimRun } from "../run/claimRun.ts";
import * as PromptAssemblies from "../prompt/PromptAssemblies.ts";
import * as Inbox from "../run/Inbox.ts";
import { Ownership } from "../run/Ownership.ts";
import { summariesCollection } from "../run/RunSummary.ts";

/** How much was removed beside the journal. */
export interface RemovedContent {
  readonly blobs: number;
  readonly bytes: number;
}

type StoredRun = Pick<RunRecord, "runId" | "workspaceId">;

/** Does something with a run that has ended while this process owns it, and lets it go. A living owner is not robbed. */
export const whileOwned = Effect.fnUntraced(function* <A, R>(
  runId: RunId,
  reason: string,
  work: Effect.Effect<A, Fatal, R>,
) {
  const writer = yield* claimRun(runId, "evenEnded");
  return yield* work.pipe(Effect.ensuring(Effect.ignore(release(writer, reason))), Effect.ensuring(letGo(runId)));
});

/** Removes all content of a run that does not stand in its journal, and the readable tree that is made of it. */
export const slimRun = Effect.fn("Retention.slim")(function* (record: StoredRun) {
  return yield* whileOwned(record.runId, "slimmed", removeContent(record));
});

/** Removes a run with everything that is its own. A living owner is not robbed; nobody can take it while it goes. */
export const deleteRun = Effect.fn("Retention.delete")(function* (record: StoredRun) {
  const writer = yield* claimRun(record.runId, "evenEnded");
  return yield* Effect.andThen(noteWithdrawn(record), removeAll(record)).pipe(
    Effect.onError(() => Effect.ignore(release(writer, "kept"))),
  );
});

/** That the run has taken its states back is told by its journal, and nobody is to begin with them when that is gone. */
const noteWithdrawn = Effect.fnUntraced(function* ({ runId, workspaceId }: StoredRun) {
  const states = yield* States.make;
  const published = (yield* states.list(workspaceId)).filter((state) => state.runId === runId);
  const withdrawn = yield* Effect.filter(published, ({ stateId }) => isTakenBack(runId, stateId));
  yield* StateNotes.note(
    workspaceId,
    "withdrawn",
    withdrawn.map(({ stateId }) => stateId),
  );
});

/** Removes a run that nobody works on, the journal last: what was broken off before is found and removed again. */
export const removeAll = Effect.fnUntraced(function* (
  record: StoredRun,
): Effect.fn.Return<RemovedContent, Fatal, RunJournal | BlobStore | DocumentStore | Ownership> {
  const { runId } = record;
  const journal = yield* RunJournal;
  const documents = yield* DocumentStore;
  const ownership = yield* Ownership;
  return yield* Effect.gen(function* () {
    const removed = yield* removeContent(record);
    yield* Inbox.clear(documents, runId);
    yield* PromptAssemblies.clear(documents, runId);
    yield* documents.remove(summariesCollection, runId).pipe(Effect.mapError(classifyStorage));
    yield* journal.release(runId);
    yield* journal.remove(runId).pipe(Effect.mapError(classifyStorage));
    return removed;
  }).pipe(Effect.ensuring(Effect.sync(() => ownership.letGo(runId))));
});

const removeContent = Effect.fnUntraced(function* (
  record: StoredRun,
): Effect.fn.Return<RemovedContent, Fatal, BlobStore | DocumentStore> {
  const blobs = yield* BlobStore;
  const found = yield* blobs.list(record.runId).pipe(Effect.mapError(classifyStorage));
  const mirror = yield* Effect.serviceOption(RunMirror);
  if (Option.isSome(mirror)) yield* mirror.value.clear(record).pipe(Effect.mapError(classifyStorage));
  yield* blobs.removeScope(record.runId).pipe(Effect.mapError(classifyStorage));
  yield* RequestLog.removeRequests(record.runId);
  return { blobs: found.length, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0) };
});
