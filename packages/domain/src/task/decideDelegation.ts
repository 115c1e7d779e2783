/**
 * Whether one agent may give work to another, or its place.
 *
 * Owns the checks, their order and their words. Does not own finding the other agent. Limits are those of whoever gives the
 * work; how much it may use is the other agent's own. Texts speak to the agent that asks.
 */
import * as Result from "effect/Result";
import type { CompleteProfile } from "../profile/CompleteProfile.ts";
import { quote, refuse, type Refusal } from "../workspace/Refusal.ts";

export type Operation = "delegate" | "handoff";

export type DelegationCode =
  | "agent.child_handoff_denied"
  | "agent.max_concurrent_invocations_exhausted"
  | "agent.max_delegation_depth_exhausted"
  | "agent.max_handoff_depth_exhausted"
  | "agent.max_invocations_per_run_exhausted"
  | "agent.profile_cannot_delegate"
  | "agent.profile_cannot_handoff"
  | "agent.profile_model_requires_configuration"
  | "agent.target_caller_denied"
  | "agent.target_not_callable"
  | "agent.target_not_handoff"
  | "agent.target_not_subagent"
  | "agent.target_profile_not_found";

/** Who asks. `depth` is how many delegations lie above it, `delegation` what its profile lets it do. */
export interface Caller {
  readonly profileId: string;
  readonly isSubagent: boolean;
  readonly depth: number;
  readonly delegation: Pick<
    CompleteProfile["delegation"],
    "canDelegate" | "canHandoff" | "maxConcurrentInvocations" | "maxDepth" | "maxHandoffDepth" | "maxInvocationsPerRun"
  >;
}

/** Who is asked. */
export type Target = Pick<CompleteProfile, "id" | "delegation" | "model">;

/** What the run has of it already: delegated tasks, those of them that have not ended, and handoffs. */
export interface Use {
  readonly delegated: number;
  readonly unfinished: number;
  readonly handoffs: number;
}

/**
 * Nothing when the work may be given; otherwise the first reason against it. `targetId` is who was named, `target` undefined
 * where there is no such agent, `candidates` whom the caller could name instead.
 */
export const decideDelegation = (
  operation: Operation,
  caller: Caller,
  targetId: string,
  target: Target | undefined,
  use: Use,
  candidates: ReadonlyArray<string>,
): Result.Result<void, Refusal<DelegationCode>> =>
  callerRight(operation, caller) ??
  targetRight(operation, caller, targetId, target, candidates) ??
  limits(operation, caller, use) ??
  Result.void;

/** Whether `caller` could name `target`, whatever its limits say at the moment. */
export const isEligible = (operation: Operation, caller: Caller, target: Target): boolean =>
  callerRight(operation, caller) === undefined && targetRight(operation, caller, target.id, target, []) === undefined;

/** The code that an agent is shown for a reason. */
export const shownCode = (operation: Operation, code: DelegationCode) => {
  if (operation === "handoff")
    return code === "agent.max_handoff_depth_exhausted"
      ? ("agent.handoff_depth_exhausted" as const)
      : ("agent.handoff_policy_denied" as const);
  return budgetCodes.has(code)
    ? ("agent.delegation_budget_exhausted" as const)
    : ("agent.delegation_policy_denied" as const);
};

const budgetCodes: ReadonlySet<DelegationCode> = new Set([
  "agent.max_concurrent_invocations_exhausted",
  "agent.max_delegation_depth_exhausted",
  "agent.max_invocations_per_run_exhausted",
]);

type Refused = Result.Result<never, Refusal<DelegationCode>>;

const callerRight = (operation: Operation, { delegation, isSubagent }: Caller): Refused | undefined => {
  if (operation === "delegate")
    return delegation.canDelegate
      ? undefined
      : refuse("agent.profile_cannot_delegate", "You may not give work to other agents. Do it yourself.");
  if (isSubagent)
    return refuse(
      "agent.child_handoff_denied",
      "You work on a task for another agent, so you cannot hand your place over. Return your result with task.return.",
    );
  return delegation.canHandoff
    ? undefined
    : refuse("agent.profile_cannot_handoff", "You may not hand the work over. Go on with it yourself.");
};

const targetRight = (
  operation: Operation,
  caller: Caller,
  targetId: string,
  target: Target | undefined,
  candidates: ReadonlyArray<string>,
): Refused | undefined => {
  const others =
    candidates.length === 0
      ? "There is no agent that you could name instead."
      : `You can name: ${candidates.join(", ")}.`;
  const no = (code: DelegationCode, why: string) => refuse(code, `${why} ${others}`);
  if (target === undefined) return no("agent.target_profile_not_found", `There is no agent ${quote(targetId)}.`);
  const { delegation, id, model } = target;
  if (!delegation.callable) return no("agent.target_not_callable", `The agent ${id} takes no work from others.`);
  if (operation === "delegate" && !delegation.allowAsSubagent)
    return no("agent.target_not_subagent", `The agent ${id} takes no tasks.`);
  if (operation === "handoff" && !delegation.allowAsHandoffTarget)
    return no("agent.target_not_handoff", `The agent ${id} takes nobody's place.`);
  if (!delegation.allowedCallers.includes("*") && !delegation.allowedCallers.includes(caller.profileId))
    return no("agent.target_caller_denied", `The agent ${id} takes no work from you.`);
  return model.mode === "requiresConfiguration"
    ? no("agent.profile_model_requires_configuration", `The agent ${id} has no model yet.`)
    : undefined;
};

const limits = (operation: Operation, { delegation, depth }: Caller, use: Use): Refused | undefined => {
  if (operation === "handoff")
    return use.handoffs < delegation.maxHandoffDepth
      ? undefined
      : refuse(
          "agent.max_handoff_depth_exhausted",
          `The work has been handed over ${times(use.handoffs)}, which is as often as it may be. Finish it yourself.`,
        );
  if (depth >= delegation.maxDepth)
    return refuse(
      "agent.max_delegation_depth_exhausted",
      "Your task was given to you by another agent, and may not be given on. Do it yourself.",
    );
  if (use.delegated >= delegation.maxInvocationsPerRun)
    return refuse(
      "agent.max_invocations_per_run_exhausted",
      `${use.delegated} tasks have been given, which is as many as there may be. Go on with what you have.`,
    );
  return use.unfinished < delegation.maxConcurrentInvocations
    ? undefined
    : refuse(
        "agent.max_concurrent_invocations_exhausted",
        `${use.unfinished} tasks are under way, which is as many as there may be at once. Wait for one with agent.await, then give the next.`,
      );
};

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
