/**
 * A person's answer to a call that awaits approval, written into the run's journal.
 *
 * Owns taking the waiting run for it and letting it go where the answer is not its last. Does not own what an answer
 * comes to (`decideApproval`) nor carrying the run on.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { type ApprovalAnswer, type ApprovalRefusal, decideApproval } from "@cahier/domain/run/decideApproval";
import { activeInvocations } from "@cahier/domain/run/activeInvocations";
import { draft, type RunEventDraft } from "@cahier/domain/run/RunEvent";
import { awaitingCalls, type RunState } from "@cahier/domain/run/RunState";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schedule from "effect/Schedule";
import { rememberInProfile } from "../profile/rememberInProfile.ts";
import type { Tools } from "../tool/Tools.ts";
import { claimRun, foregroundOf } from "./claimRun.ts";
import { loadWritable } from "./loadState.ts";
import { Ownership } from "./Ownership.ts";
import type { RunWriter } from "./RunWriter.ts";

/**
 * Claims the waiting run and appends the answer. Gives the writer when nobody is asked about anything more, so that the
 * run can be carried on; otherwise the run is let go and waits on. An answer that does not fit, or comes twice, changes
 * nothing and is refused with its code.
 */
export const answerApproval = Effect.fn("Runs.answerApproval")(
  function* (
    runId: RunId,
    answer: ApprovalAnswer,
  ): Effect.fn.Return<RunWriter | undefined, Fatal, RunJournal | BlobStore | DocumentStore | Ownership | Tools> {
    const journal = yield* RunJournal;
    const { state } = yield* loadWritable(journal, runId);
    yield* decided(state, answer);
    const writer = yield* claimRun(runId);
    return yield* recordAnswer(writer, answer).pipe(
      Effect.tapError(() => Effect.ignore(letGo(writer))),
      Effect.onInterrupt(() => Effect.ignore(letGo(writer))),
    );
  },
  // Two people who answer two calls at once claim the run one after the other.
  (answering) => Effect.retry(answering, { while: isContended, schedule: Schedule.spaced("100 millis"), times: 50 }),
);

const recordAnswer = Effect.fnUntraced(function* (writer: RunWriter, answer: ApprovalAnswer) {
  yield* recordDecision(writer, answer);
  // A denial may end the run, whatever else waits.
  if (activeInvocations(writer.state()).length === 0) {
    yield* letGo(writer);
    return undefined;
  }
  yield* writer.flush;
  return writer;
});

/** Records the answer on a run that is at hand; what a request brings twice is decided already the second time. */
export const recordDecision = Effect.fnUntraced(function* (
  writer: RunWriter,
  answer: ApprovalAnswer,
  requestId?: string,
): Effect.fn.Return<void, Fatal, RunJournal | BlobStore | DocumentStore | Tools> {
  const event = yield* decided(writer.state(), answer);
  if (answer.approved && answer.remember === "profile") yield* rememberInProfile(writer.state(), toolOf(event));
  writer.record({ ...event, ...(requestId === undefined ? {} : { requestId }) });
  allowRemembered(writer);
});

/** What was answered for every further call of the run holds for those that wait beside it. */
const allowRemembered = (writer: RunWriter): void => {
  const state = writer.state();
  for (const { call, invocation, round } of awaitingCalls(state)) {
    if (call.toolId === null || call.approval === null || !state.approvedTools.includes(call.toolId)) continue;
    writer.record(
      draft("tool_call_approved", invocation.id, {
        round,
        invocationId: invocation.id,
        callId: call.callId,
        toolId: call.toolId,
        argumentsSha256: call.approval.argumentsSha256,
        by: "remembered",
      }),
    );
  }
};

/** The event that an answer comes to, or why it does not count. */
export const decided = (state: RunState, answer: ApprovalAnswer): Effect.Effect<RunEventDraft, Fatal> =>
  Effect.fromResult(Result.mapError(decideApproval(state, answer), refusal));

const refusal = ({ code, message }: ApprovalRefusal): Fatal => fatal(code, message);

const toolOf = (event: RunEventDraft): string => (event.type === "tool_call_approved" ? event.payload.toolId : "");

/** A run that waits has no owner. */
const letGo = Effect.fnUntraced(function* (writer: RunWriter) {
  const ownership = yield* Ownership;
  const journal = yield* RunJournal;
  writer.record(draft("run_owner_changed", foregroundOf(writer), { owner: null, reason: "awaiting_approval" }));
  yield* writer.flush.pipe(
    Effect.andThen(journal.release(writer.runId)),
    Effect.ensuring(Effect.sync(() => ownership.letGo(writer.runId))),
  );
});

const contended: ReadonlySet<string> = new Set(["journal.conflict", "journal.fenced", "agent.resume_unavailable"]);

const isContended = (failure: Fatal): boolean => contended.has(failure.reason.code);
