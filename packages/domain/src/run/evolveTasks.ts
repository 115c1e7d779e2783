/**
 * How events change the tasks of a run: who works on them, how they ended, and whether that was told.
 */
import type { InvocationId } from "../identity/Identity.ts";
import * as Task from "../task/Task.ts";
import type { KnownEvent } from "./RunEvent.ts";
import { type RunState, wallMs } from "./RunState.ts";
import { successorOf } from "./tasks.ts";

type TaskEvent = Extract<
  KnownEvent,
  {
    readonly type:
      | "agent_await_completed"
      | "agent_invocation_transferred"
      | "agent_task_cancelled"
      | "agent_task_completed"
      | "agent_task_failed"
      | "agent_task_queued"
      | "agent_task_registered"
      | "agent_task_results_delivered"
      | "agent_task_started"
      | "task_return_recorded";
  }
>;

/** The state after `event`. A change that a task cannot make, or of a task that is not there, changes nothing. */
export const evolveTasks = (state: RunState, event: TaskEvent): RunState => {
  switch (event.type) {
    case "agent_task_registered":
      return registered(state, event);
    case "agent_task_queued":
      return state;
    case "agent_task_started":
      return moved(state, event.payload.taskId, "running", { startedWallMs: wallMs(state) });
    case "agent_task_completed":
      return moved(state, event.payload.taskId, "completed");
    case "agent_task_failed":
      return moved(state, event.payload.taskId, "failed", { error: event.payload.error });
    case "agent_task_cancelled":
      return moved(state, event.payload.taskId, "cancelled", {
        error: { code: event.payload.leftBehind === true ? "left_behind" : "cancelled", message: event.payload.error },
      });
    case "agent_task_results_delivered":
      return delivered(state, event.payload.parentInvocationId, event.payload.taskIds);
    case "agent_await_completed":
      return delivered(state, event.payload.parentInvocationId, event.payload.deliveredTaskIds);
    case "task_return_recorded": {
      const { invocationId, result, status } = event.payload;
      return changed(state, (task) => (task.child === invocationId ? { ...task, result, returned: status } : task));
    }
    case "agent_invocation_transferred": {
      const successor = successorOf(state, event.eventScope.invocationId);
      return successor === undefined ? state : { ...state, foreground: successor.child };
    }
    default:
      return event satisfies never;
  }
};

/** What was told to an invocation is known to its model once that has answered. */
export const acknowledged = (state: RunState, parent: InvocationId): RunState =>
  changed(state, (task) =>
    task.parent === parent && task.delivery === "delivered" ? { ...task, delivery: "acknowledged" } : task,
  );

const registered = (
  state: RunState,
  event: Extract<TaskEvent, { readonly type: "agent_task_registered" }>,
): RunState => {
  const { childInvocationId, createdByToolCallId, parentInvocationId, taskId, timeoutMs, ...rest } = event.payload;
  if (state.tasks[taskId] !== undefined) return state;
  const task: Task.TaskState = {
    ...rest,
    taskId,
    parent: parentInvocationId,
    child: childInvocationId,
    status: "queued",
    callId: createdByToolCallId ?? null,
    timeoutMs: timeoutMs ?? null,
    startedWallMs: null,
    result: null,
    returned: null,
    error: null,
    delivery: "none",
  };
  return { ...state, tasks: { ...state.tasks, [taskId]: task } };
};

const moved = (
  state: RunState,
  taskId: string,
  to: Task.TaskStatus,
  more: Partial<Pick<Task.TaskState, "error" | "startedWallMs">> = {},
): RunState => {
  const task = state.tasks[taskId];
  return task === undefined || !Task.canChange(task.status, to)
    ? state
    : { ...state, tasks: { ...state.tasks, [taskId]: { ...task, ...more, status: to } } };
};

const delivered = (state: RunState, parent: InvocationId, taskIds: ReadonlyArray<string>): RunState =>
  changed(state, (task) =>
    task.parent === parent && task.delivery === "none" && taskIds.includes(task.taskId)
      ? { ...task, delivery: "delivered" }
      : task,
  );

/** The state with each task as `change` gives it; the same state when it gives the same tasks. */
const changed = (state: RunState, change: (task: Task.TaskState) => Task.TaskState): RunState => {
  const entries = Object.entries(state.tasks);
  if (entries.length === 0) return state;
  const after = entries.map(([id, task]) => [id, change(task)] as const);
  return after.every(([id, task]) => task === state.tasks[id]) ? state : { ...state, tasks: Object.fromEntries(after) };
};
