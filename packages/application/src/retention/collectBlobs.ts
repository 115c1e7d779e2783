/**
 * Removes content that nothing refers to: left behind by writes and removals that were broken off.
 *
 * Owns that nothing is removed which an event or a state refers to, or which a run that is being written is about to refer to:
 * content is stored before what names it, so of a run only content is collected while this process owns the run.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { isBlob } from "@cahier/domain/payload/Payload";
import { payloadsIn } from "@cahier/domain/payload/payloadsIn";
import type { Sha256 } from "@cahier/domain/payload/Sha256";
import { PersistentState } from "@cahier/domain/persist/PersistentState";
import { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal, type RunRecord } from "@cahier/ports/RunJournal";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { copiesCollection } from "../copy/leftOutCollections.ts";
import { classifyStorage } from "../failure/classifyStorage.ts";
import * as HostLog from "./HostLog.ts";
import * as States from "../persist/States.ts";
import { allRecords } from "../run/allRecords.ts";
import { loadState } from "../run/loadState.ts";
import type { Ownership } from "../run/Ownership.ts";
import { standingOf } from "../run/RunSummary.ts";
import * as SkillContents from "../skill/SkillContents.ts";
import * as CollectSkills from "./collectSkills.ts";
import { removeAll, type RemovedContent, whileOwned } from "./removeRun.ts";

/** How long a start may take before a journal that is still empty counts as left behind, in milliseconds. */
export const abandonedAfterMs = 86_400_000;

type Requirements = RunJournal | BlobStore | DocumentStore | Ownership;

/**
 * Collects what is left behind in the scopes of runs, states and Skills; other scopes are not touched. A run that has not ended keeps
 * everything. Refused with `storage.in_use` while a copy into this storage is not whole.
 */
export const collectBlobs = Effect.fn("Retention.collect")(function* (): Effect.fn.Return<
  RemovedContent,
  Fatal,
  Requirements
> {
  const blobs = yield* BlobStore;
  yield* requireWhole;
  // The scopes first: a scope that is listed belongs to a run whose journal was made before, and is listed after.
  const scopes = yield* blobs.scopes.pipe(Effect.mapError(classifyStorage));
  const records = yield* allRecords();
  const byScope = new Map<string, RunRecord>(records.map((record) => [record.runId, record]));
  const states = yield* statesOf;
  const deleted = yield* HostLog.deletedRuns;
  const unused = yield* CollectSkills.unusedContents(
    scopes.filter((scope) => scope.startsWith(SkillContents.scopePrefix)),
    records,
    abandonedAfterMs,
  );
  const removed = yield* Effect.forEach(scopes, (scope) => {
    const record = byScope.get(scope);
    if (record !== undefined) return ofRun(record);
    if (scope.startsWith(States.scopePrefix)) return ofState(scope, states, records);
    if (unused.has(scope)) return removeScope(scope);
    // A run that is in no list may be there all the same: its record may be damaged, or of a later version.
    return deleted.has(scope) ? removeScope(scope) : Effect.succeed(nothing);
  });
  yield* CollectSkills.forgetContents(unused);
  const abandoned = yield* Effect.forEach(records, ofStart);
  return [...removed, ...abandoned].reduce(
    (sum, one) => ({ blobs: sum.blobs + one.blobs, bytes: sum.bytes + one.bytes }),
    nothing,
  );
});

const nothing: RemovedContent = { blobs: 0, bytes: 0 };

/** A copy stores content before the journals that name it. */
const requireWhole = Effect.gen(function* () {
  const documents = yield* DocumentStore;
  const { documents: marks } = yield* documents.list(copiesCollection).pipe(Effect.mapError(classifyStorage));
  if (marks.length > 0)
    return yield* fatal(
      "storage.in_use",
      "A copy into this storage is not whole. Make it again until it is; then nothing is left behind.",
    );
});

const ofRun = Effect.fnUntraced(function* (record: RunRecord): Effect.fn.Return<RemovedContent, Fatal, Requirements> {
  if ((yield* unreferenced(record.runId)).length === 0) return nothing;
  return yield* ifFree(
    record.runId,
    Effect.flatMap(unreferenced(record.runId, "owned"), (left) => removeBlobs(record.runId, left)),
  );
});

/** Collects while this process owns the run; one that somebody takes first keeps what it has. */
const ifFree = <R>(runId: RunId, collecting: Effect.Effect<RemovedContent, Fatal, R>) =>
  whileOwned(runId, "collected", collecting).pipe(
    Effect.catchIf(
      ({ reason }) => reason.code === "agent.resume_unavailable" || reason.code === "journal.conflict",
      () => Effect.succeed(nothing),
    ),
  );

interface Left {
  readonly sha256: Sha256;
  readonly bytes: number;
}

/** The content of a run that has ended and that none of its events names; of any other run none. */
const unreferenced = Effect.fnUntraced(function* (
  runId: RunId,
  as: "looking" | "owned" = "looking",
): Effect.fn.Return<ReadonlyArray<Left>, Fatal, Requirements> {
  const blobs = yield* BlobStore;
  const journal = yield* RunJournal;
  const stored = yield* blobs.list(runId).pipe(Effect.mapError(classifyStorage));
  const named = new Set<Sha256>();
  const loaded = yield* loadState(journal, runId, ({ payload }) => {
    for (const one of payloadsIn(payload)) if (isBlob(one)) named.add(one.sha256);
  });
  // Damage may hide events that name content, and a newer version may name it in ways that are not known here.
  if (loaded.damage !== undefined || loaded.unknownTypes.length > 0) return [];
  if (as === "looking") {
    const { owner } = loaded.state;
    if ((yield* standingOf(loaded)) !== "ended" || owner !== null) return [];
  }
  return stored.filter(({ sha256 }) => !named.has(sha256));
});

const removeBlobs = Effect.fnUntraced(function* (
  scope: string,
  left: ReadonlyArray<Left>,
): Effect.fn.Return<RemovedContent, Fatal, BlobStore> {
  const blobs = yield* BlobStore;
  yield* Effect.forEach(left, ({ sha256 }) => blobs.remove(scope, sha256), { discard: true }).pipe(
    Effect.mapError(classifyStorage),
  );
  return { blobs: left.length, bytes: left.reduce((sum, { bytes }) => sum + bytes, 0) };
});

const removeScope = Effect.fnUntraced(function* (scope: string): Effect.fn.Return<RemovedContent, Fatal, BlobStore> {
  const blobs = yield* BlobStore;
  const left = yield* blobs.list(scope).pipe(Effect.mapError(classifyStorage));
  yield* blobs.removeScope(scope).pipe(Effect.mapError(classifyStorage));
  return { blobs: left.length, bytes: left.reduce((sum, { bytes }) => sum + bytes, 0) };
});

const decodeState = Schema.decodeUnknownOption(PersistentState);

/** The scopes of stored states with the digests that each names; null of one that cannot be read. */
const statesOf = Effect.gen(function* () {
  const documents = yield* DocumentStore;
  const collections = yield* documents.collections.pipe(Effect.mapError(classifyStorage));
  const found = new Map<string, ReadonlySet<Sha256> | null>();
  for (const collection of collections.filter((name) => name.startsWith(`${States.statesCollection}/`))) {
    const listed = yield* documents.list(collection).pipe(Effect.mapError(classifyStorage));
    for (const { id, value } of listed.documents) {
      const state = decodeState(value);
      const named = state._tag === "Some" ? new Set(state.value.files.map(({ sha256 }) => sha256)) : null;
      found.set(States.scopeOf(id), named);
    }
    // What names a damaged one is its id; how far it can be told from the fault is not relied upon.
    if (listed.damaged.length > 0) found.set("damaged", null);
  }
  return found;
});

/** The content of a state that is stored is what it names; one that is not stored may be about to be. */
const ofState = Effect.fnUntraced(function* (
  scope: string,
  states: ReadonlyMap<string, ReadonlySet<Sha256> | null>,
  records: ReadonlyArray<RunRecord>,
): Effect.fn.Return<RemovedContent, Fatal, Requirements> {
  const blobs = yield* BlobStore;
  const named = states.get(scope);
  if (named === null || states.has("damaged")) return nothing;
  if (named !== undefined) {
    const stored = yield* blobs.list(scope).pipe(Effect.mapError(classifyStorage));
    return yield* removeBlobs(
      scope,
      stored.filter(({ sha256 }) => !named.has(sha256)),
    );
  }
  const stateId = scope.slice(States.scopePrefix.length);
  const publisher = records.find(({ runId }) => stateId === runId || stateId.startsWith(`${runId}_`));
  if (publisher === undefined) return yield* removeScope(scope);
  const journal = yield* RunJournal;
  const loaded = yield* loadState(journal, publisher.runId);
  if ((yield* standingOf(loaded)) !== "ended" || loaded.state.owner !== null) return nothing;
  return yield* ifFree(publisher.runId, removeScope(scope));
});

/** A start whose process died before it was admitted leaves an empty journal. */
const ofStart = Effect.fnUntraced(function* (record: RunRecord): Effect.fn.Return<RemovedContent, Fatal, Requirements> {
  const now = yield* Clock.currentTimeMillis;
  if (now - Date.parse(record.createdAt) < abandonedAfterMs) return nothing;
  const journal = yield* RunJournal;
  const { damage, lastSeq } = yield* journal.read(record.runId, { limit: 1 }).pipe(Effect.mapError(classifyStorage));
  return lastSeq > 0 || damage !== undefined ? nothing : yield* removeAll(record);
});
