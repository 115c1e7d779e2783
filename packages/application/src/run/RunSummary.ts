/**
 * What a list says of a run. Of a run that has ended it is kept as a document, so that a list does not fold journals.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunEventType } from "@cahier/domain/run/RunEvent";
import { empty, type RunState } from "@cahier/domain/run/RunState";
import { isTerminal, RunStatus } from "@cahier/domain/run/RunStatus";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal, type RunRecord } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { type LoadedRun, loadState } from "./loadState.ts";
import { Ownership } from "./Ownership.ts";

/** The collection of summaries; a rebuildable cache. */
export const summariesCollection = "run-summaries";

/**
 * `ended`, `running` under a living owner, `waiting` for somebody, or `interrupted`: its owner is gone. A `damaged` run
 * can be read up to the damage and not be carried on; of an `unreadable` one only its record is known.
 */
export const Standing = Schema.Literals(["ended", "running", "waiting", "interrupted", "damaged", "unreadable"]);
export type Standing = typeof Standing.Type;

/**
 * `chat` is the chat's file or group id; times are ISO 8601, and `endedAt` is that of the end, absent of a run without one.
 * `error` is that of the run, or why it cannot be read.
 */
export const RunSummary = Schema.Struct({
  schemaVersion: Schema.Literal(1),
  runId: Schema.String,
  workspaceId: Schema.String,
  createdAt: Schema.String,
  updatedAt: Schema.String,
  endedAt: Schema.optionalKey(Schema.String),
  status: RunStatus,
  standing: Standing,
  generationType: Schema.String,
  chat: Schema.String,
  profileId: Schema.String,
  rounds: Schema.Int,
  commitCount: Schema.Int,
  error: Schema.optionalKey(Schema.Struct({ code: Schema.String, message: Schema.String })),
});
export type RunSummary = typeof RunSummary.Type;

const endings: ReadonlySet<string> = new Set<RunEventType>([
  "run_completed",
  "run_failed",
  "run_partial_success",
  "run_cancelled",
]);

const decodeSummary = Schema.decodeUnknownOption(RunSummary);

/** The summary of a run; of one that has ended it is stored when it is first made. */
export const summaryOf = Effect.fn("RunSummary.of")(function* (
  record: RunRecord,
): Effect.fn.Return<RunSummary, Fatal, RunJournal | DocumentStore | Ownership> {
  const documents = yield* DocumentStore;
  const journal = yield* RunJournal;
  const kept = yield* documents.get(summariesCollection, record.runId).pipe(
    Effect.map((document) => decodeSummary(document.value)),
    // The cache may be missing or damaged; the journal is what counts.
    Effect.orElseSucceed(() => Option.none<RunSummary>()),
  );
  if (Option.isSome(kept)) return kept.value;
  const found: { endedAt?: string } = {};
  const loaded = yield* loadState(journal, record.runId, ({ timestamp, type }) => {
    if (endings.has(type)) found.endedAt = timestamp;
  });
  const { damage, state } = loaded;
  const summary = describe(
    record,
    state,
    yield* standingOf(loaded),
    damage === undefined ? state.failure : classifyStorage(damage).reason,
    isTerminal(state.status) ? found.endedAt : undefined,
  );
  if (summary.standing === "ended" && isTerminal(state.status) && state.owner === null)
    yield* documents.put(summariesCollection, record.runId, 0, summary).pipe(Effect.ignore);
  return summary;
});

/** What is known of a run that cannot be read: its record, and why. */
export const unreadable = (record: RunRecord, failure: Fatal): RunSummary =>
  describe(record, empty, "unreadable", failure.reason);

/** How a run stands: its journal and its owner's life say. */
export const standingOf = Effect.fnUntraced(function* ({
  damage,
  state,
}: Pick<LoadedRun, "damage" | "state">): Effect.fn.Return<Standing, Fatal, Ownership> {
  if (damage !== undefined) return "damaged";
  if (isTerminal(state.status)) return "ended";
  if (state.owner === null || state.runId === null)
    return state.status === "awaiting_approval" ? "waiting" : "interrupted";
  const ownership = yield* Ownership;
  return (yield* ownership.isCarriedOn(state.runId, state.owner)) ? "running" : "interrupted";
});

const describe = (
  record: RunRecord,
  state: RunState,
  standing: Standing,
  error: { readonly code: string; readonly message: string } | null,
  endedAt?: string,
): RunSummary => {
  const rounds = Object.values(state.invocations).reduce((sum, invocation) => sum + invocation.completedResponses, 0);
  const ref = state.target?.chatRef;
  return {
    schemaVersion: 1,
    runId: record.runId,
    workspaceId: record.workspaceId,
    createdAt: record.createdAt,
    updatedAt: state.updatedAt ?? record.createdAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    status: state.status,
    standing,
    generationType: state.target?.generationType ?? "",
    chat: ref === undefined ? "" : ref.kind === "group" ? ref.chatId : ref.fileName,
    profileId: state.profileId ?? "",
    rounds,
    commitCount: state.commits.length,
    ...(error === null ? {} : { error: { code: error.code, message: error.message } }),
  };
};
