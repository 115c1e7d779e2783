import type { RunId } from "@cahier/domain/identity/Identity";
import { BlobStore } from "@cahier/ports/BlobStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import { Ownership } from "./Ownership.ts";

/** A run that was not admitted leaves nothing behind. */
export const abandonRun = Effect.fnUntraced(function* (
  runId: RunId,
): Effect.fn.Return<void, never, RunJournal | BlobStore | Ownership> {
  const journal = yield* RunJournal;
  const blobs = yield* BlobStore;
  const ownership = yield* Ownership;
  ownership.letGo(runId);
  yield* journal.remove(runId).pipe(Effect.ignore);
  yield* blobs.removeScope(runId).pipe(Effect.ignore);
});
