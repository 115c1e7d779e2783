/**
 * Which invocations of a run have something to do: the scheduler as a function of the state.
 */
import type { InvocationId } from "../identity/Identity.ts";
import { nextStep } from "./nextStep.ts";
import type { RunState } from "./RunState.ts";
import { isTerminal } from "./RunStatus.ts";
import { unfinishedTasks } from "./tasks.ts";

/**
 * The invocations that can go on by themselves, whoever is in the foreground first. One that waits for people, or for tasks
 * none of which can go on, is not among them: when nobody is, the run waits for people or has ended.
 */
export const activeInvocations = (state: RunState): ReadonlyArray<InvocationId> =>
  isTerminal(state.status)
    ? []
    : [...(state.foreground === null ? [] : [state.foreground]), ...openChildren(state)].filter((id) =>
        canGoOn(state, id),
      );

/**
 * The delegated agents that are to be at work: those that are, and as many of those that wait as the limit of whoever gave
 * their task allows, in the order in which they were given.
 */
export const openChildren = (state: RunState): ReadonlyArray<InvocationId> => {
  if (state.cancelRequested || state.status === "cancelling" || isTerminal(state.status)) return [];
  const unfinished = unfinishedTasks(state);
  let running = unfinished.filter(({ status }) => status === "running").length;
  return unfinished
    .filter(({ parent, status }) => {
      if (status === "running") return true;
      const limit = state.invocations[parent]?.context?.limits.delegation?.maxConcurrentInvocations ?? 1;
      if (running >= limit) return false;
      running += 1;
      return true;
    })
    .map(({ child }) => child);
};

const canGoOn = (state: RunState, id: InvocationId): boolean => {
  const step = nextStep(state, id);
  switch (step._tag) {
    case "AwaitApproval":
    case "Done":
      return false;
    case "AwaitTasks":
      return step.over;
    default:
      return true;
  }
};
