/**
 * The runs that nobody carries on and that could go on.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { rootInvocation, type RunId, type WorkspaceId } from "@cahier/domain/identity/Identity";
import { ResolvedProfile } from "@cahier/domain/profile/resolveProfile";
import { activeInvocations } from "@cahier/domain/run/activeInvocations";
import type { RunState } from "@cahier/domain/run/RunState";
import type { RunStatus } from "@cahier/domain/run/RunStatus";
import { isTerminal } from "@cahier/domain/run/RunStatus";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal, type RunRecord } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import * as Payloads from "../payload/Payloads.ts";
import { allRecords } from "./allRecords.ts";
import { loadWritable } from "./loadState.ts";
import type { Ownership } from "./Ownership.ts";
import { standingOf, summaryOf } from "./RunSummary.ts";

/** `mode` is what the run's profile says of resuming: by itself, or when a person asks for it. */
export interface ResumableRun {
  readonly runId: RunId;
  readonly workspaceId: WorkspaceId;
  readonly createdAt: string;
  readonly status: RunStatus;
  readonly mode: "auto" | "manual";
}

/**
 * Every run of the storage that has not ended, has no living owner and waits for no answer, newest first. One that was never
 * admitted, is damaged or was written by a newer version cannot go on and is not among them.
 */
export const findResumable = Effect.fn("Runs.findResumable")(function* (
  options: { readonly workspaceId?: WorkspaceId } = {},
): Effect.fn.Return<ReadonlyArray<ResumableRun>, Fatal, RunJournal | BlobStore | DocumentStore | Ownership> {
  const records = yield* allRecords(options);
  const found = yield* Effect.forEach(records, (record) => Effect.option(resumable(record)), {
    concurrency: readConcurrency,
  });
  return found.flatMap((one) => (Option.isSome(one) && one.value !== undefined ? [one.value] : []));
});

const readConcurrency = 4;

const resumable = Effect.fnUntraced(function* (
  record: RunRecord,
): Effect.fn.Return<ResumableRun | undefined, Fatal, RunJournal | BlobStore | DocumentStore | Ownership> {
  // Of a run that has ended the summary is at hand, and its journal need not be folded.
  const { standing, status } = yield* summaryOf(record);
  if (standing !== "interrupted" || isTerminal(status)) return undefined;
  const loaded = yield* loadWritable(yield* RunJournal, record.runId);
  if ((yield* standingOf(loaded)) !== "interrupted" || !canGoOn(loaded.state)) return undefined;
  return { ...record, status: loaded.state.status, mode: yield* modeOf(record.runId, loaded.state) };
});

const canGoOn = (state: RunState): boolean => {
  const { foreground, invocations } = state;
  if (
    foreground === null ||
    invocations[foreground] === undefined ||
    (invocations[rootInvocation]?.context ?? null) === null
  )
    return false;
  return activeInvocations(state).length > 0;
};

const decodeProfile = Schema.decodeUnknownOption(Schema.fromJsonString(ResolvedProfile));

const modeOf = Effect.fnUntraced(function* (
  runId: RunId,
  { resolvedProfile }: RunState,
): Effect.fn.Return<ResumableRun["mode"], Fatal, RunJournal | BlobStore> {
  if (resolvedProfile === null) return "manual";
  const payloads = yield* Payloads.make(runId);
  const profile = decodeProfile(yield* payloads.read(resolvedProfile));
  return Option.isSome(profile) ? profile.value.run.resume : "manual";
});
