/**
 * Runs that are stored and in no list, because what lists them cannot be read.
 *
 * A journal lists the runs whose records it can read. Of others only what they have left beside their journal tells: content,
 * requests, summaries and states. A run that has nothing of these is not found here.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { RunId } from "@cahier/domain/identity/Identity";
import { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { statesCollection } from "../persist/States.ts";
import { allRecords } from "./allRecords.ts";
import { summariesCollection } from "./RunSummary.ts";

/** A run that is there and not listed, and what its journal says when it is read. */
export interface UnlistedRun {
  readonly runId: RunId;
  readonly failure: Fatal;
}

/** Every run of which something is stored, that no list has, and that its journal does not call absent; ordered by id. */
export const unlistedRuns = Effect.fn("Runs.unlisted")(function* (): Effect.fn.Return<
  ReadonlyArray<UnlistedRun>,
  Fatal,
  RunJournal | BlobStore | DocumentStore
> {
  const journal = yield* RunJournal;
  const traces = yield* tracesOfRuns;
  const listed = new Set((yield* allRecords()).map(({ runId }) => runId));
  const found = yield* Effect.forEach([...traces].filter((runId) => !listed.has(runId)).toSorted(), (runId) =>
    journal.read(runId, { limit: 1 }).pipe(
      // A run that was made since it was looked for is readable and no damage.
      Effect.as([]),
      Effect.catchTag("NotFound", () => Effect.succeed([])),
      Effect.catch((fact) => Effect.succeed([{ runId, failure: hidden(runId, classifyStorage(fact)) }])),
    ),
  );
  return found.flat();
});

const hidden = (runId: RunId, cause: Fatal): Fatal =>
  fatal("journal.corrupt", `The run ${runId} is stored and in no list. ${cause.message}`, { cause });

const decodeRunId = Schema.decodeUnknownOption(RunId);
const decodePublisher = Schema.decodeUnknownOption(Schema.Struct({ runId: RunId }));

/** The ids of runs that something stored names. Scopes of blobs that are no run's are the states'. */
const tracesOfRuns = Effect.gen(function* () {
  const blobs = yield* BlobStore;
  const documents = yield* DocumentStore;
  const found = new Set<RunId>();
  const add = (id: unknown): void => {
    const runId = typeof id === "string" && id.startsWith("run_") ? decodeRunId(id) : Option.none<RunId>();
    if (Option.isSome(runId)) found.add(runId.value);
  };
  for (const scope of yield* blobs.scopes.pipe(Effect.mapError(classifyStorage))) add(scope);
  for (const collection of yield* documents.collections.pipe(Effect.mapError(classifyStorage))) {
    const [first, second] = collection.split("/");
    add(second);
    if (first !== summariesCollection && first !== statesCollection) continue;
    const listed = yield* documents.list(collection).pipe(Effect.mapError(classifyStorage));
    for (const { id, value } of listed.documents) {
      if (first === summariesCollection) add(id);
      else for (const { runId } of Option.toArray(decodePublisher(value))) add(runId);
    }
  }
  return found;
});
