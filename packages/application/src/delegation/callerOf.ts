/**
 * An invocation as somebody who gives work to others.
 */
import type { InvocationState, RunState } from "@cahier/domain/run/RunState";
import { depthOf } from "@cahier/domain/run/tasks";
import type { Caller } from "@cahier/domain/task/decideDelegation";

/** Who asks, and what it may; without limits of its own it may nothing. */
export const callerOf = (state: RunState, invocation: InvocationState): Caller => ({
  profileId: invocation.profileId,
  isSubagent: invocation.kind === "subagent",
  depth: depthOf(state, invocation),
  delegation: invocation.context?.limits.delegation ?? nothing,
});

const nothing: Caller["delegation"] = {
  canDelegate: false,
  canHandoff: false,
  maxConcurrentInvocations: 0,
  maxDepth: 0,
  maxHandoffDepth: 0,
  maxInvocationsPerRun: 0,
};
