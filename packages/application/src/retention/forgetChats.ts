/**
 * Removes everything that a storage keeps of chats: runs, their content, states, summaries and requests.
 *
 * Owns that it is all of what was found or nothing: refused before anything is removed, and once begun it is finished, by
 * whoever forgets or prunes next if need be. The chats themselves are not touched.
 */
import { type ChatRef } from "@cahier/domain/chat/Chat";
import { workspaceIdOf } from "@cahier/domain/chat/workspaceIdOf";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { RunId, type StableChatId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal, type RunRecord } from "@cahier/ports/RunJournal";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { Identifiers } from "../identity/Identifiers.ts";
import * as StateNotes from "../persist/StateNotes.ts";
import * as States from "../persist/States.ts";
import { letGo, release } from "../rollback/atRest.ts";
import { allRecords } from "../run/allRecords.ts";
import { claimRun } from "../run/claimRun.ts";
import { loadState } from "../run/loadState.ts";
import { Ownership } from "../run/Ownership.ts";
import type { RunWriter } from "../run/RunWriter.ts";
import * as HostLog from "./HostLog.ts";
import { removeAll } from "./removeRun.ts";

/** A chat whose workspace is to be removed: its kind and stable id, which outlive the chat's file. */
export interface ForgottenChat {
  readonly kind: ChatRef["kind"];
  readonly stableChatId: StableChatId;
}

/** What was removed. */
export interface ForgottenWorkspaces {
  readonly workspaceIds: ReadonlyArray<WorkspaceId>;
  readonly runIds: ReadonlyArray<RunId>;
  readonly stateIds: ReadonlyArray<string>;
}

/** A start that is younger than this may be about to be admitted, in milliseconds. */
export const admissionGraceMs = 600_000;

/** Removals that are decided and not finished yet. */
export const removalsCollection = "chat-removals";

type Requirements = RunJournal | BlobStore | DocumentStore | Ownership;

/** Removes the workspaces of the chats. While a process works on a run of one of them it is `agent.workspace_in_use`. */
export const forgetChats = Effect.fn("Retention.forgetChats")(function* (
  chats: ReadonlyArray<ForgottenChat>,
): Effect.fn.Return<ForgottenWorkspaces, Fatal, Requirements> {
  yield* finishForgetting;
  if (chats.length === 0) return { workspaceIds: [], runIds: [], stateIds: [] };
  const workspaceIds = [...new Set(chats.map(({ kind, stableChatId }) => workspaceIdOf(kind, stableChatId)))];
  const records = yield* Effect.map(
    Effect.forEach(workspaceIds, (workspaceId) => allRecords({ workspaceId })),
    (found) => found.flat(),
  );
  const claimed = yield* claimAll(records);
  const documents = yield* DocumentStore;
  const id = `removal_${(yield* Identifiers).next()}`;
  const states = yield* Effect.forEach(workspaceIds, statesOf);
  const removal: typeof Removal.Type = { runs: records, states: states.flat() };
  const subject = workspaceIds.join(",");
  const sizes = { runs: removal.runs.length, states: removal.states.length };
  yield* documents.put(removalsCollection, id, 0, removal).pipe(
    Effect.mapError(classifyStorage),
    Effect.andThen(
      HostLog.recording(
        { action: "chats_forgotten", subject, reason: "asked for" },
        Effect.as(carryOut(id, removal), sizes),
      ),
    ),
    // What is left of the runs is let go, so that anybody can finish it.
    Effect.onError(() => releaseAll(claimed)),
  );
  return {
    workspaceIds,
    runIds: records.map(({ runId }) => runId),
    stateIds: removal.states.map(({ stateId }) => stateId),
  };
});

const Removal = Schema.Struct({
  runs: Schema.Array(Schema.Struct({ runId: RunId, workspaceId: WorkspaceId, createdAt: Schema.String })),
  states: Schema.Array(Schema.Struct({ workspaceId: WorkspaceId, stateId: Schema.String })),
});

const decodeRemoval = Schema.decodeUnknownOption(Removal);

/**
 * Finishes removals that were decided and broken off. One whose runs somebody works on again meanwhile is left to whoever
 * comes next.
 */
export const finishForgetting: Effect.Effect<void, Fatal, Requirements> = Effect.gen(function* () {
  const documents = yield* DocumentStore;
  const listed = yield* documents.list(removalsCollection).pipe(Effect.mapError(classifyStorage));
  if (listed.documents.length === 0) return;
  const present = new Set((yield* allRecords()).map(({ runId }) => runId));
  for (const { id, value } of listed.documents) {
    const removal = decodeRemoval(value);
    if (removal._tag === "None") continue;
    yield* claimAll(removal.value.runs.filter(({ runId }) => present.has(runId))).pipe(
      Effect.flatMap((claimed) => Effect.onError(carryOut(id, removal.value), () => releaseAll(claimed))),
      Effect.catchIf(
        ({ reason }) => reason.code === "agent.workspace_in_use",
        () => Effect.void,
      ),
    );
  }
});

const carryOut = Effect.fnUntraced(function* (
  id: string,
  { runs, states }: typeof Removal.Type,
): Effect.fn.Return<void, Fatal, Requirements> {
  const documents = yield* DocumentStore;
  const stored = yield* States.make;
  // The chat's messages go on naming them: whoever chats on is to know that they were not lost.
  for (const workspaceId of new Set(states.map((state) => state.workspaceId)))
    yield* StateNotes.note(
      workspaceId,
      "removed",
      states.flatMap((state) => (state.workspaceId === workspaceId ? [state.stateId] : [])),
    );
  yield* Effect.forEach(runs, removeAll, { discard: true });
  yield* Effect.forEach(states, ({ stateId, workspaceId }) => stored.remove(workspaceId, stateId), { discard: true });
  yield* documents.remove(removalsCollection, id).pipe(Effect.mapError(classifyStorage));
});

/** The states of a workspace, readable or not. */
const statesOf = Effect.fnUntraced(function* (
  workspaceId: WorkspaceId,
): Effect.fn.Return<(typeof Removal.Type)["states"], Fatal, DocumentStore> {
  const documents = yield* DocumentStore;
  const listed = yield* documents.list(States.collectionOf(workspaceId)).pipe(Effect.mapError(classifyStorage));
  const damaged = listed.damaged.map(({ id }) => id.slice(id.lastIndexOf("/") + 1));
  return [...listed.documents.map(({ id }) => id), ...damaged].map((stateId) => ({ workspaceId, stateId }));
});

/** Takes every run that can be written, so that nobody else does; when one cannot be taken all are let go again. */
const claimAll = Effect.fnUntraced(function* (
  records: ReadonlyArray<RunRecord>,
): Effect.fn.Return<ReadonlyArray<RunWriter>, Fatal, Requirements> {
  yield* Effect.forEach(records, requireIdle, { discard: true });
  const claimed: Array<RunWriter> = [];
  yield* Effect.forEach(
    records,
    (record) =>
      Effect.flatMap(isClaimable(record.runId), (claimable) =>
        claimable
          ? Effect.map(claimRun(record.runId, "evenEnded"), (writer) => void claimed.push(writer))
          : Effect.void,
      ),
    { discard: true },
  ).pipe(
    Effect.mapError((failure) =>
      failure.reason.code === "agent.resume_unavailable" || failure.reason._tag === "journal"
        ? inUse("", failure)
        : failure,
    ),
    Effect.onError(() => releaseAll(claimed)),
  );
  return claimed;
});

const releaseAll = (claimed: ReadonlyArray<RunWriter>) =>
  Effect.forEach(claimed, (writer) => Effect.andThen(Effect.ignore(release(writer, "kept")), letGo(writer.runId)), {
    discard: true,
  });

/** Refuses a run that somebody works on, or that is about to be admitted. */
const requireIdle = Effect.fnUntraced(function* ({
  createdAt,
  runId,
}: RunRecord): Effect.fn.Return<void, Fatal, Requirements> {
  const { damage, state } = yield* loadState(yield* RunJournal, runId);
  if (state.seq === 0 && damage === undefined) {
    const now = yield* Clock.currentTimeMillis;
    if (now - Date.parse(createdAt) < admissionGraceMs) return yield* inUse(`The run ${runId} is being started.`);
  }
  const ownership = yield* Ownership;
  if (state.owner !== null && (yield* ownership.isCarriedOn(runId, state.owner)))
    return yield* inUse(`A process is carrying the run ${runId} on.`);
});

/** A run that was never admitted, is damaged or of a newer version has nobody who could write it. */
const isClaimable = Effect.fnUntraced(function* (runId: RunId): Effect.fn.Return<boolean, Fatal, RunJournal> {
  const { damage, state, unknownTypes } = yield* loadState(yield* RunJournal, runId);
  return damage === undefined && unknownTypes.length === 0 && state.foreground !== null;
});

const inUse = (why: string, cause?: Fatal): Fatal =>
  fatal(
    "agent.workspace_in_use",
    `Nothing was removed. ${why === "" ? (cause?.message ?? "") : why} Wait for it or cancel it; then forget the chat again.`,
    { cause },
  );
