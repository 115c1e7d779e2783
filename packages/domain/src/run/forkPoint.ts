/**
 * Where a run can be forked: between its steps.
 *
 * What one step records belongs together, and a state in the middle of it is none that a run can go on from.
 */
import { type KnownEvent, type PayloadOf } from "./RunEvent.ts";
import type { CallState, InvocationState, RunState } from "./RunState.ts";

/**
 * Whether `next` belongs to the same step as `last`, after which the run is in `state`. A fork at `last` has to share it.
 * A call that reaches outside and has only begun is no whole step, and is interrupted there.
 */
export const isSameStep = (state: RunState, last: KnownEvent | undefined, next: KnownEvent): boolean => {
  const foreground = admitted(state);
  if (foreground === undefined || last === undefined) return true;
  // What several invocations record never mixes within a step.
  const own = state.invocations[last.eventScope.invocationId] ?? foreground;
  const invocation = ofDelegation.has(last.type) ? (callerAbove(state, own) ?? own) : own;
  if (isDecision(last) && isDecision(next) && next.type !== "model_response_stored") return true;
  if (last.type === "direct_output_captured" || isOfDirectOutput(last))
    return next.type === "drift_recovery_attempted" || isOfDirectOutput(next);
  const open = invocation.turn?.calls.find((call) => call.phase === "started");
  if (open === undefined || !(isInside(open) || isEffectOf(last, open))) return false;
  return callOf(next) === open.callId || isAmongEffects(next);
};

/** Why a run cannot go on from a state between its steps; undefined when it can. `announced` is its last answer's number of calls. */
export const forkObstacle = (
  state: RunState,
  announced: Pick<PayloadOf<"model_completed">, "round" | "toolCallCount"> | undefined,
): string | undefined => {
  const invocation = admitted(state);
  if (invocation === undefined) return "The run was never admitted, so there is nothing to share. Start a new one.";
  const { turn } = invocation;
  return turn !== null && announced?.round === turn.round && turn.calls.length < announced.toolCallCount
    ? `The answer at event ${turn.responseSeq} could not be used, and nothing can follow it. Fork before it, at event ${turn.responseSeq - 1}.`
    : undefined;
};

/** The foreground invocation of a run that has been admitted. */
const admitted = ({ foreground, invocations }: RunState): InvocationState | undefined => {
  const invocation = foreground === null ? undefined : invocations[foreground];
  return invocation === undefined || invocation.context === null || invocation.status === "created"
    ? undefined
    : invocation;
};

/** Whose call gives work to an invocation or takes it away: itself or the next one above it that is within a call. */
const callerAbove = (state: RunState, invocation: InvocationState): InvocationState | undefined => {
  if (invocation.turn?.calls.some(({ phase }) => phase === "started") === true) return invocation;
  const above = invocation.parent === null ? undefined : state.invocations[invocation.parent];
  return above === undefined || above.id === invocation.id ? undefined : callerAbove(state, above);
};

/** An answer, and what the gate says of its calls; what people say comes later. */
const isDecision = (event: KnownEvent): boolean => {
  switch (event.type) {
    case "model_response_stored":
    case "provider_state_updated":
    case "model_completed":
    case "tool_call_requested":
    case "tool_call_awaiting_approval":
      return true;
    case "tool_call_approved":
    case "tool_call_denied":
      return event.payload.by !== "user";
    default:
      return false;
  }
};

const isOfDirectOutput = (event: KnownEvent): boolean =>
  event.type === "checkpoint_created" && event.payload.reason === "direct_output_capture";

/** A call that takes effect by what it records has no middle. */
const isInside = ({ effectClass }: CallState): boolean => effectClass === "pure" || effectClass === "internal";

const callOf = (event: KnownEvent): string | undefined =>
  "callId" in event.payload ? event.payload.callId : undefined;

/** What is known of a call's outcome: from there on it has happened. */
const isEffectOf = (event: KnownEvent, call: CallState): boolean =>
  isAmongEffects(event) || (callOf(event) === call.callId && outcomes.has(event.type));

const outcomes: ReadonlySet<KnownEvent["type"]> = new Set([
  "tool_result_stored",
  "tool_result_attachment_stored",
  "tool_result_readable_view_stored",
  "workspace_file_read",
  "skill_read",
  "workspace_file_removed",
  "workspace_file_written",
  "workspace_patch_applied",
  "chat_commit_completed",
  "chat_commit_failed",
]);

/** What stands between the effects of a call without naming it. */
const isAmongEffects = (event: KnownEvent): boolean =>
  ofDelegation.has(event.type) ||
  event.type === "chat_commit_recorded" ||
  (event.type === "checkpoint_created" && event.payload.reason === "tool") ||
  (event.type === "status_changed" && event.payload.to === "applying_workspace_patch");

/** What a call records that gives work away, waits for it, returns it or gives it up. */
const ofDelegation: ReadonlySet<KnownEvent["type"]> = new Set([
  "agent_invocation_created",
  "agent_task_registered",
  "agent_task_queued",
  "agent_task_cancelled",
  "agent_invocation_cancelled",
  "agent_delegate_started",
  "agent_await_started",
  "agent_handoff_requested",
  "agent_handoff_accepted",
  "task_return_recorded",
]);
