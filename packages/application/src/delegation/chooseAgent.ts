/**
 * From the name of an agent to the profile that is frozen with the work that it gets, or why it gets none.
 */
import { type Fatal, type Recoverable, recoverable } from "@cahier/domain/failure/Failure";
import type { ResolvedProfile } from "@cahier/domain/profile/resolveProfile";
import type { RunState } from "@cahier/domain/run/RunState";
import { allTasks, unfinishedTasks } from "@cahier/domain/run/tasks";
import { decideDelegation, type Operation, shownCode, type Use } from "@cahier/domain/task/decideDelegation";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { ToolContext } from "../tool/Tool.ts";
import { callerOf } from "./callerOf.ts";

/**
 * The profile of the named agent. A refusal is shown under the code of its kind; which check it was stands in the details
 * as `reason`. A refused choice of an agent names those who could be chosen.
 */
export const chooseAgent = Effect.fnUntraced(function* (
  { agents, invocation, state }: ToolContext,
  operation: Operation,
  agentId: string,
): Effect.fn.Return<ResolvedProfile, Recoverable | Fatal> {
  const caller = callerOf(state, invocation);
  const candidates = (yield* agents.callable(caller))
    .filter(({ operations }) => operations.includes(operation))
    .map(({ id }) => id);
  const found = yield* agents.find(agentId, operation);
  const decided = decideDelegation(operation, caller, agentId, found?.profile, useOf(state), candidates);
  if (Result.isFailure(decided)) {
    const { code, message } = decided.failure;
    return yield* recoverable(shownCode(operation, code), message, { details: { reason: code } });
  }
  if (found?.resolved !== undefined) return found.resolved;
  return yield* recoverable(
    shownCode(operation, "agent.target_profile_not_found"),
    `The agent ${quote(agentId)} cannot work at the moment.${candidates.length === 0 ? "" : ` You can name: ${candidates.join(", ")}.`}`,
    { details: { reason: "agent.target_profile_not_found" } },
  );
});

const useOf = (state: RunState): Use => {
  const tasks = allTasks(state);
  return {
    delegated: tasks.filter(({ continuation }) => continuation === "return_to_parent").length,
    unfinished: unfinishedTasks(state).length,
    handoffs: tasks.filter(({ continuation }) => continuation === "transfer_control").length,
  };
};
