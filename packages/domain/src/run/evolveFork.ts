/**
 * How a fork changes the state that it shares with another run: it can go on, and owes the other run nothing.
 */
import * as Repetition from "../budget/Repetition.ts";
import type { InvocationId } from "../identity/Identity.ts";
import { isClosed } from "../invocation/Invocation.ts";
import type { Payload } from "../payload/Payload.ts";
import * as Log from "./Log.ts";
import type { KnownEvent } from "./RunEvent.ts";
import type { CallState, InvocationState, RunState, TurnState } from "./RunState.ts";
import { taskOf } from "./tasks.ts";

type ForkEvent = Extract<KnownEvent, { readonly type: "run_forked" }>;

/**
 * The state after `event`: an open run without commits, failure, remembered approvals and expenses. What was in flight is
 * in flight no more: a model is asked again, a commit that was intended is intended anew, and a call that had started is
 * interrupted.
 */
export const evolveFork = (state: RunState, event: ForkEvent): RunState => {
  const { from, message, seq } = event.payload;
  return {
    ...state,
    forkedFrom: { runId: from, seq },
    createdAt: event.timestamp,
    status: "interrupted",
    owner: null,
    cancelRequested: false,
    pendingCommit: null,
    pendingRollback: null,
    commits: [],
    withdrawn: null,
    failure: null,
    revision: null,
    approvedTools: [],
    persist: {
      ...state.persist,
      before: null,
      withdrawn: false,
      published: null,
      publishedCount: 0,
      naming: null,
      named: null,
    },
    activeSince: null,
    activeMs: 0,
    invocations: Object.fromEntries(
      Object.entries(state.invocations).map(([id, invocation]) => [
        id,
        isForeground(state, id) ? forked(invocation, message) : besides(state, invocation),
      ]),
    ),
    tasks: Object.fromEntries(
      Object.entries(state.tasks).map(([id, task]) => [
        id,
        task.startedWallMs === null ? task : { ...task, startedWallMs: 0 },
      ]),
    ),
    guidance: { ...state.guidance, requests: [] },
  };
};

const isForeground = ({ foreground }: RunState, id: string): boolean => foreground === (id as InvocationId);

/** A delegated agent that was at work could go on with it; one that has stated its result has nothing left to do. */
const besides = (state: RunState, invocation: InvocationState): InvocationState =>
  isClosed(invocation.status)
    ? unpaid(invocation)
    : { ...forked(invocation, undefined), finished: typeof taskOf(state, invocation.id)?.returned === "string" };

/** What it has spent is the other run's. */
const unpaid = (invocation: InvocationState): InvocationState => ({
  ...invocation,
  inputTokens: 0,
  outputTokens: 0,
  toolTokens: 0,
  cost: 0,
});

const forked = (invocation: InvocationState, message: Payload | undefined): InvocationState => {
  const { messages, request, status, turn } = invocation;
  return {
    ...unpaid(invocation),
    status: isClosed(status) && status !== "transferred" ? "running" : status,
    // Between a turn's calls and their results nobody may speak: the message waits for the next request.
    messages:
      message !== undefined && request !== null
        ? Log.append(messages, { kind: "user", about: "guidance", payload: message })
        : messages,
    userMessage: message !== undefined && request === null ? message : null,
    request:
      request === null
        ? null
        : { round: request.round, attempt: 0, failures: 0, lost: 0, phase: "created", delayMs: 0 },
    turn: turn === null ? null : forkedTurn(turn, message !== undefined),
    awaiting: invocation.awaiting === null ? null : { ...invocation.awaiting, startedWallMs: 0 },
    finished: false,
    failure: null,
    providerState: null,
    repetition: Repetition.empty,
  };
};

/** Whoever speaks after a text-only answer says how to go on, in place of a reminder. */
const forkedTurn = (turn: TurnState, spoken: boolean): TurnState => ({
  ...turn,
  calls: turn.calls.map(forkedCall),
  drift: turn.drift || (spoken && turn.calls.length === 0),
});

/** A person's approval was for one call of one run: for the same call of this one it is asked anew. */
const forkedCall = (call: CallState): CallState => {
  if (call.phase === "started") return { ...call, interrupted: true, question: null };
  return call.phase === "requested" && call.approval !== null && call.decision?.approved === true
    ? { ...call, phase: "awaiting", decision: null }
    : call;
};
