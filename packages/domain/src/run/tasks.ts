/**
 * What the tasks of a run are to its invocations.
 */
import type { InvocationId } from "../identity/Identity.ts";
import type { Payload } from "../payload/Payload.ts";
import { isOver, type TaskState } from "../task/Task.ts";
import type { InvocationState, RunState } from "./RunState.ts";

/** Every task, in the order in which they were given. */
export const allTasks = ({ tasks }: Pick<RunState, "tasks">): ReadonlyArray<TaskState> => Object.values(tasks);

/** The task that an invocation works on; a root and a revision have none. */
export const taskOf = (state: RunState, child: InvocationId): TaskState | undefined =>
  allTasks(state).find((task) => task.child === child);

/** The profile that an invocation works by: the one that it was given last, else that of its task, else the run's. */
export const profileOf = (state: RunState, id: InvocationId): Payload | null =>
  state.invocations[id]?.profile ?? taskOf(state, id)?.profile ?? state.resolvedProfile;

/** The tasks that an invocation has given and is to get the results of. */
export const delegatedBy = (state: RunState, parent: InvocationId): ReadonlyArray<TaskState> =>
  allTasks(state).filter((task) => task.parent === parent && task.continuation === "return_to_parent");

/** Tasks whose results somebody waits for, that have not ended. */
export const unfinishedTasks = (state: RunState): ReadonlyArray<TaskState> =>
  allTasks(state).filter(({ continuation, status }) => continuation === "return_to_parent" && !isOver(status));

/** The handoff by which an invocation leaves its place, if it does. */
export const successorOf = (state: RunState, predecessor: InvocationId): TaskState | undefined =>
  allTasks(state).find(
    ({ continuation, parent, status }) =>
      parent === predecessor && continuation === "transfer_control" && !isOver(status),
  );

/**
 * What an invocation is to be told: tasks that it gave, that have not been given up by itself or with its work, and whose
 * end it does not know of.
 */
export const undelivered = (state: RunState, parent: InvocationId): ReadonlyArray<TaskState> =>
  delegatedBy(state, parent).filter(
    ({ delivery, error, status }) =>
      delivery === "none" &&
      (status === "completed" || status === "failed" || (status === "cancelled" && error?.code === "left_behind")),
  );

/** How many delegations lie above an invocation. */
export const depthOf = (state: RunState, { kind, parent }: InvocationState): number => {
  if (kind !== "subagent") return 0;
  const above = parent === null ? undefined : state.invocations[parent];
  // A parent is older than its child, so that this comes to an end.
  return 1 + (above === undefined || above.parent === parent ? 0 : depthOf(state, above));
};

/** Whether what an invocation waits for has come, or cannot come any more. */
export const isAwaitOver = (
  state: RunState,
  { fresh, mode, taskIds }: NonNullable<InvocationState["awaiting"]>,
): boolean => {
  const isEnded = (id: string): boolean => {
    const task = state.tasks[id];
    return task === undefined || isOver(task.status);
  };
  switch (mode) {
    case "statusOnly":
      return true;
    case "allCompleted":
      return taskIds.every(isEnded);
    case "nextCompleted":
      return fresh.some(isEnded) || taskIds.every(isEnded);
    default:
      return mode satisfies never;
  }
};
