/**
 * What follows from a state: the one decision function of the loop.
 *
 * It depends on the fold alone, so resuming after a crash is the same loop on a folded journal. Each step says what to
 * do; carrying it out, and writing down what happened, is the application's.
 */
import * as Purse from "../budget/Purse.ts";
import * as Repetition from "../budget/Repetition.ts";
import type { FailureCode } from "../failure/FailureCode.ts";
import type { InvocationId } from "../identity/Identity.ts";
import { rootInvocation } from "../identity/Identity.ts";
import { isClosed, ownsRunStatus } from "../invocation/Invocation.ts";
import type { TaskState } from "../task/Task.ts";
import type { InvocationLimits } from "./event/model.ts";
import { isPublishDue, unsettledState } from "./remembered.ts";
import {
  type CallState,
  type InvocationState,
  type PendingCommit,
  type RunState,
  spent,
  type TurnState,
  wallMs,
} from "./RunState.ts";
import * as RunStatus from "./RunStatus.ts";
import { isAwaitOver, successorOf, taskOf, undelivered } from "./tasks.ts";

export type Step =
  /** Make ready what an invocation that was given a task works with: its model, tools and prompt. */
  | { readonly _tag: "PrepareInvocation"; readonly task: TaskState }
  /** Tell the invocation what has become of tasks that it gave. */
  | { readonly _tag: "DeliverResults"; readonly round: number; readonly tasks: ReadonlyArray<TaskState> }
  /** Tell the invocation what the user has said. */
  | { readonly _tag: "ApplyGuidance"; readonly round: number }
  /** Decide on a model request of this round. */
  | { readonly _tag: "RequestModel"; readonly round: number }
  /** Send (again) what was requested, after `delayMs`. */
  | { readonly _tag: "CallModel"; readonly round: number; readonly attempt: number; readonly delayMs: number }
  | { readonly _tag: "RunTool"; readonly turn: TurnState; readonly call: CallState }
  /** People are asked about these calls of the turn; none of its calls runs before all of them are decided. */
  | { readonly _tag: "AwaitApproval"; readonly turn: TurnState; readonly calls: ReadonlyArray<CallState> }
  /** A call waits for tasks: until `over`, or until its time is up. */
  | {
      readonly _tag: "AwaitTasks";
      readonly turn: TurnState;
      readonly call: CallState;
      readonly awaiting: NonNullable<InvocationState["awaiting"]>;
      readonly over: boolean;
    }
  /** A commit's intent is journalled, its outcome is not: ask the chat host. */
  | {
      readonly _tag: "SettleCommit";
      readonly commit: PendingCommit;
      readonly turn: TurnState;
      readonly call: CallState;
      /** The run is cancelled: a commit that was not applied yet is not applied any more. */
      readonly onlyLookUp: boolean;
    }
  /** A call that cannot be repeated was interrupted: tell the model that its outcome is unknown. */
  | { readonly _tag: "RecordUnknownOutcome"; readonly turn: TurnState; readonly call: CallState }
  /** A text-only turn: keep the text, remind the model. */
  | { readonly _tag: "RecoverDrift"; readonly turn: TurnState; readonly attempt: number }
  /** What the agents of a run that finishes remember is published, and named in its message, before the run ends. */
  | { readonly _tag: "PublishState" }
  /** A run that does not come to its end may have published what its agents remember: nobody is to find that. */
  | { readonly _tag: "WithdrawState"; readonly stateId: string }
  | { readonly _tag: "Finish" }
  /** The result that a delegated agent stated is its task's. */
  | { readonly _tag: "ReturnTask"; readonly task: TaskState }
  /** Its successor takes the place of the invocation. */
  | { readonly _tag: "Transfer"; readonly task: TaskState }
  | { readonly _tag: "Fail"; readonly code: FailureCode; readonly message: string }
  | { readonly _tag: "Cancel" }
  | { readonly _tag: "Done" };

/** The next step of one invocation of a run. */
export const nextStep = (state: RunState, invocationId: InvocationId): Step => {
  if (RunStatus.isTerminal(state.status)) return { _tag: "Done" };
  const invocation = state.invocations[invocationId];
  const isForeground = state.foreground === null || state.foreground === invocationId;
  if (state.cancelRequested || state.status === "cancelling")
    return isForeground ? cancel(state, invocation) : { _tag: "Done" };
  if (!isForeground && (invocation === undefined || isClosed(invocation.status))) return { _tag: "Done" };
  if (invocation === undefined || invocation.context === null) {
    const task = invocation === undefined ? undefined : taskOf(state, invocationId);
    return task === undefined
      ? fail("agent.resume_unavailable", "The run was never admitted: start it again.")
      : { _tag: "PrepareInvocation", task };
  }
  const limits = invocation.context.limits;
  if (invocation.failure !== null) return fail(invocation.failure.code as FailureCode, invocation.failure.message);
  if (invocation.request !== null) return callModel(state, invocation, invocation.request);
  if (invocation.turn === null) return beforeRequest(state, invocation, 1);
  return afterResponse(state, invocation, invocation.turn, limits);
};

/** What may have reached the chat is found out first: a cancelled run still tells the truth about it. */
const cancel = (state: RunState, invocation: InvocationState | undefined): Step => {
  const commit = state.pendingCommit;
  const turn = invocation?.turn ?? null;
  const call =
    commit?.invocationId === invocation?.id
      ? turn?.calls.find(({ callId, phase }) => callId === commit?.callId && phase !== "closed")
      : undefined;
  if (commit !== null && turn !== null && call !== undefined)
    return { _tag: "SettleCommit", commit, turn, call, onlyLookUp: true };
  const stateId = invocation?.finished === true ? unsettledState(state) : undefined;
  return stateId === undefined ? { _tag: "Cancel" } : { _tag: "WithdrawState", stateId };
};

/** A further attempt is made only while something is left, and while its wait ends before the run's time does. */
const callModel = (
  state: RunState,
  invocation: InvocationState,
  request: NonNullable<InvocationState["request"]>,
): Step => {
  const delayMs = request.phase === "retrying" ? request.delayMs : 0;
  const refusal = request.attempt === 0 ? undefined : overdrawn(state, invocation, delayMs);
  return refusal ?? { _tag: "CallModel", round: request.round, attempt: request.attempt + 1, delayMs };
};

const afterResponse = (
  state: RunState,
  invocation: InvocationState,
  turn: TurnState,
  limits: InvocationLimits,
): Step => {
  const open = turn.calls.find((call) => call.phase !== "closed");
  if (open !== undefined) {
    if (invocation.finished)
      return fail(
        "agent.tool_after_finish",
        invocation.exitPolicy === "task_return_required"
          ? `The model called ${open.name} after it had returned its result in the same turn.`
          : `The model called ${open.name} after it had finished the run in the same turn.`,
      );
    if (successorOf(state, invocation.id) !== undefined)
      return fail(
        "agent.tool_after_finish",
        `The model called ${open.name} after it had handed the work over in the same turn.`,
      );
    return undecided(turn, limits) ?? circle(invocation, limits) ?? openCall(state, invocation, turn, open);
  }
  if (invocation.finished) return ending(state, invocation);
  const successor = successorOf(state, invocation.id);
  if (successor !== undefined) return { _tag: "Transfer", task: successor };
  const circling = circle(invocation, limits);
  if (circling !== undefined) return circling;
  if (turn.calls.length === 0 && !turn.drift) return textOnly(invocation, turn, limits);
  if (turn.round >= limits.maxRounds)
    return invocation.exitPolicy === "task_return_required"
      ? fail(
          "agent.child_invocation_missing_return",
          `The agent used all ${limits.maxRounds} rounds of its profile without returning a result.`,
        )
      : fail("agent.max_tool_rounds_exceeded", `The model used all ${limits.maxRounds} rounds without finishing.`);
  return beforeRequest(state, invocation, turn.round + 1);
};

/** How a turn ends in which the agent said that it is done. */
const ending = (state: RunState, invocation: InvocationState): Step => {
  const task = invocation.kind === "subagent" ? taskOf(state, invocation.id) : undefined;
  if (task !== undefined) return { _tag: "ReturnTask", task };
  return { _tag: isPublishDue(state) ? "PublishState" : "Finish" };
};

/** A model that goes in circles is stopped where it is, also between two calls of a turn. */
const circle = ({ repetition }: InvocationState, limits: InvocationLimits): Step | undefined =>
  limits.repetition !== undefined && Repetition.judge(repetition, limits.repetition) === "end"
    ? fail("agent.repeated_call", Repetition.describeEnd(repetition))
    : undefined;

/** Another round begins only while there is something left to spend, and with everything told that waits to be told. */
const beforeRequest = (state: RunState, invocation: InvocationState, round: number): Step => {
  const refusal = overdrawn(state, invocation, 0);
  if (refusal !== undefined) return refusal;
  const tasks = undelivered(state, invocation.id);
  if (tasks.length > 0) return { _tag: "DeliverResults", round, tasks };
  return state.guidance.pending.length > 0 && ownsRunStatus(invocation.kind)
    ? { _tag: "ApplyGuidance", round }
    : { _tag: "RequestModel", round };
};

/**
 * Why an invocation may use nothing more, if it may not: what its run or it itself has spent, with `used` besides, which is not
 * on record yet.
 */
export const outOfBudget = (
  state: RunState,
  invocation: InvocationState,
  used: Purse.Amount,
): Purse.BudgetRefusal | undefined => {
  const limits = invocation.context?.limits;
  if (limits === undefined) return undefined;
  const isOfRun = invocation.kind === "root" || invocation.kind === "revision";
  const ofRun = isOfRun ? limits.budget : state.invocations[rootInvocation]?.context?.limits.budget;
  return (
    (ofRun === undefined ? undefined : overdrawnBy(ofRun, spent(state), used)) ??
    (isOfRun || limits.budget === undefined ? undefined : overdrawnBy(limits.budget, ownSpent(state, invocation), used))
  );
};

/**
 * The end of an invocation whose run has nothing left to spend, or will have nothing left after so many milliseconds. The
 * run's limits are those that it was started with; a delegated agent and a successor have their own besides.
 */
const overdrawn = (state: RunState, invocation: InvocationState, delayMs: number): Step | undefined => {
  const refusal = outOfBudget(state, invocation, { wallMs: delayMs });
  return refusal === undefined ? undefined : fail(refusal.code, refusal.message);
};

const overdrawnBy = (
  budget: NonNullable<InvocationLimits["budget"]>,
  spent: Purse.Amount,
  used: Purse.Amount,
): Purse.BudgetRefusal | undefined => Purse.overdrawn(Purse.charge(Purse.charge(Purse.make(budget), spent), used));

/** What an invocation that was given a task has spent by itself. */
const ownSpent = (state: RunState, invocation: InvocationState): Purse.Amount => ({
  tokens: invocation.inputTokens + invocation.outputTokens + invocation.toolTokens,
  cost: invocation.cost,
  wallMs: wallMs(state) - (taskOf(state, invocation.id)?.startedWallMs ?? 0),
});

/** What stands before the first call of a turn: a denial that ends the run, or calls that nobody has decided yet. */
const undecided = (turn: TurnState, limits: InvocationLimits): Step | undefined => {
  const denied = turn.calls.find((call) => call.phase !== "closed" && call.decision?.approved === false);
  if (denied !== undefined && limits.onDenied === "fail")
    return fail("tool.denied", `The call of ${denied.name} was denied: ${denied.decision?.reason ?? ""}`);
  const calls = turn.calls.filter((call) => call.phase === "awaiting");
  return calls.length === 0 ? undefined : { _tag: "AwaitApproval", turn, calls };
};

const openCall = (state: RunState, invocation: InvocationState, turn: TurnState, call: CallState): Step => {
  const commit = state.pendingCommit;
  const { awaiting } = invocation;
  if (awaiting?.callId === call.callId)
    return { _tag: "AwaitTasks", turn, call, awaiting, over: isAwaitOver(state, awaiting) };
  if (commit !== null && commit.callId === call.callId && commit.invocationId === invocation.id)
    return { _tag: "SettleCommit", commit, turn, call, onlyLookUp: false };
  if (call.interrupted && call.effectClass === "irreversible") return { _tag: "RecordUnknownOutcome", turn, call };
  return { _tag: "RunTool", turn, call };
};

const textOnly = (invocation: InvocationState, turn: TurnState, limits: InvocationLimits): Step => {
  const attempt = invocation.driftAttempts + 1;
  if (attempt > limits.driftRecoveryMaxAttempts || turn.round >= limits.maxRounds)
    return fail(
      invocation.exitPolicy === "task_return_required"
        ? "agent.child_invocation_missing_return"
        : "model.tool_call_required",
      "The model answered with text only instead of calling a tool, and was reminded as often as its profile allows.",
    );
  return { _tag: "RecoverDrift", turn, attempt };
};

const fail = (code: FailureCode, message: string): Step => ({ _tag: "Fail", code, message });
