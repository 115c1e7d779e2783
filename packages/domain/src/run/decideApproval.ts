/**
 * What becomes of a person's answer to a call that awaits approval.
 *
 * Owns the preconditions: the call is known, still open, and still what the person saw. Does not own who may answer.
 */
import * as Result from "effect/Result";
import type { CallId, InvocationId } from "../identity/Identity.ts";
import { quote, refuse, type Refusal } from "../workspace/Refusal.ts";
import type { Remember } from "./event/approval.ts";
import { draft, type RunEventDraft } from "./RunEvent.ts";
import { awaitingCalls, type RunState } from "./RunState.ts";

/**
 * `argumentsSha256` is the digest of the arguments that were shown; without it the answer counts for whatever is asked
 * at the moment. `invocationId` is needed only where two invocations wait with one call id.
 */
export interface ApprovalAnswer {
  readonly callId: CallId;
  readonly invocationId?: InvocationId;
  readonly approved: boolean;
  readonly argumentsSha256?: string;
  readonly reason?: string;
  readonly remember?: Remember;
}

export type ApprovalRefusal = Refusal<
  "agent.approval_already_decided" | "agent.approval_arguments_changed" | "agent.approval_not_found"
>;

/** The one event that the answer comes to. A second answer is refused, whatever it says. */
export const decideApproval = (
  state: RunState,
  answer: ApprovalAnswer,
): Result.Result<RunEventDraft, ApprovalRefusal> => {
  const { approved, argumentsSha256, callId, reason, remember } = answer;
  const isMeant = (id: InvocationId) => answer.invocationId === undefined || answer.invocationId === id;
  const waiting = awaitingCalls(state).find((one) => one.call.callId === callId && isMeant(one.invocation.id));
  const asked = waiting?.call.approval;
  if (waiting === undefined || asked === undefined || asked === null) return absent(state, callId);
  if (argumentsSha256 !== undefined && argumentsSha256 !== asked.argumentsSha256)
    return refuse(
      "agent.approval_arguments_changed",
      `The call ${quote(callId)} has other arguments than those that were answered for. Look at it again.`,
    );
  const { call, invocation, round } = waiting;
  const base = { round, invocationId: invocation.id, callId, toolId: call.toolId ?? call.name };
  if (!approved)
    return Result.succeed(
      draft("tool_call_denied", invocation.id, {
        ...base,
        by: "user",
        reason: reason === undefined || reason.trim() === "" ? "The user did not allow this call." : reason,
      }),
    );
  return Result.succeed(
    draft("tool_call_approved", invocation.id, {
      ...base,
      argumentsSha256: asked.argumentsSha256,
      by: "user",
      ...(reason === undefined ? {} : { reason }),
      ...(remember === undefined ? {} : { remember }),
    }),
  );
};

const absent = (state: RunState, callId: CallId): Result.Result<never, ApprovalRefusal> => {
  const isDecided = Object.values(state.invocations).some((invocation) =>
    invocation.turn?.calls.some((call) => call.callId === callId && call.decision !== null),
  );
  if (isDecided)
    return refuse(
      "agent.approval_already_decided",
      `The call ${quote(callId)} is decided already; nothing was changed.`,
    );
  const open = awaitingCalls(state).map(({ call }) => call.callId);
  return refuse(
    "agent.approval_not_found",
    open.length === 0
      ? `The run waits for no approval: what it asked is decided, or it has ended.`
      : `The run waits for no approval of ${quote(callId)}, but for ${open.map(quote).join(", ")}.`,
  );
};
