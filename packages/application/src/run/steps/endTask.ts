/** The ends of a task and of the invocation that works on it: returned, failed, given up. */
import { canChange } from "@cahier/domain/invocation/Invocation";
import type { InvocationId } from "@cahier/domain/identity/Identity";
import { draft } from "@cahier/domain/run/RunEvent";
import type { InvocationState } from "@cahier/domain/run/RunState";
import { delegatedBy, taskOf, unfinishedTasks } from "@cahier/domain/run/tasks";
import { isOver, type TaskState } from "@cahier/domain/task/Task";
import { resultPath, summaryPath } from "@cahier/domain/task/TaskResult";
import type { RunWriter } from "../RunWriter.ts";

/** Why something ended. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

/** Records that the result that a delegated agent has stated is its task's. A task that failed has a result as well. */
export const returnTask = (writer: RunWriter, task: TaskState): void => {
  const isFailure = task.returned === "failed";
  const refs = { resultRef: resultPath(task.child), summaryRef: summaryPath(task.workspaceKey) };
  writer.record({
    ...draft("task_return_completed", task.child, {
      ...partiesOf(task),
      status: isFailure ? "failed" : "completed",
      ...refs,
    }),
    related: [task.parent],
  });
  if (isFailure)
    failTaskOnly(
      writer,
      task,
      { code: "agent.task_failed", message: "The agent says that the task has failed." },
      refs,
    );
  else completeTask(writer, task, refs);
  closeInvocation(writer, task.child, "completed");
};

/** Records that a task came to its end; nothing when it had ended before. */
export const completeTask = (
  writer: RunWriter,
  task: TaskState,
  { resultRef }: { readonly resultRef?: string },
): void => {
  if (isOver(writer.state().tasks[task.taskId]?.status ?? task.status)) return;
  writer.record({
    ...draft("agent_task_completed", task.parent, {
      ...partiesOf(task),
      status: "completed",
      ...(resultRef === undefined ? {} : { resultRef }),
    }),
    related: [task.child],
  });
};

/** Records that a delegated agent could not go on: its task has failed, and so have those that it gave. The run goes on. */
export const failChild = (writer: RunWriter, child: InvocationId, { code, message }: Reason): void => {
  const task = taskOf(writer.state(), child);
  if (task === undefined || isOver(task.status)) return;
  cancelTasksOf(writer, child, "Whoever gave this task could not go on.");
  writer.record({
    ...draft("agent_child_invocation_failed", child, { taskId: task.taskId, childInvocationId: child, code, message }),
    related: [task.parent],
  });
  failTaskOnly(writer, task, { code, message }, {});
  closeInvocation(writer, child, "failed");
};

/** Records that a task failed, and nothing of its invocation; nothing when it had ended before. */
export const failTaskOnly = (
  writer: RunWriter,
  task: TaskState,
  error: Reason,
  { resultRef }: { readonly resultRef?: string },
): void => {
  if (isOver(writer.state().tasks[task.taskId]?.status ?? task.status)) return;
  writer.record({
    ...draft("agent_task_failed", task.parent, {
      ...partiesOf(task),
      status: "failed",
      ...(resultRef === undefined ? {} : { resultRef }),
      error: { code: error.code, message: error.message },
    }),
    related: [task.child],
  });
};

/** Gives up what is left of an invocation's tasks, and of those that were given on from them. */
export const cancelTasksOf = (writer: RunWriter, parent: InvocationId, why: string): void => {
  for (const task of delegatedBy(writer.state(), parent)) if (!isOver(task.status)) cancelTask(writer, task, why);
};

/** Gives up everything that is left of the run's tasks. */
export const cancelAllTasks = (writer: RunWriter, why: string): void => {
  for (const task of unfinishedTasks(writer.state())) cancelTask(writer, task, why);
};

/**
 * Gives up what agents of the run that this one was forked from are still at work on: their work is that run's. A task whose
 * result was stated keeps it. Whoever gave one is told.
 */
export const leaveTasksBehind = (writer: RunWriter): void => {
  for (const task of unfinishedTasks(writer.state())) {
    if (task.returned !== null) continue;
    cancelTask(
      writer,
      task,
      "The agent was stopped before it had finished, and there is no result. Give the task again if you still need it.",
      true,
    );
  }
};

/** Gives one task up, with those that were given on from it. A task that is given up is never failed as well. */
export const cancelTask = (writer: RunWriter, task: TaskState, why: string, leftBehind = false): void => {
  cancelTasksOf(writer, task.child, why);
  if (isOver(writer.state().tasks[task.taskId]?.status ?? task.status)) return;
  writer.record({
    ...draft("agent_task_cancelled", task.parent, {
      ...partiesOf(task),
      status: "cancelled",
      error: why,
      ...(leftBehind ? { leftBehind } : {}),
    }),
    related: [task.child],
  });
  closeInvocation(writer, task.child, "cancelled");
};

const closingEvent = {
  completed: "agent_invocation_completed",
  failed: "agent_invocation_failed",
  cancelled: "agent_invocation_cancelled",
  transferred: "agent_invocation_transferred",
} as const;

/** Records the end of an invocation that is open. */
export const closeInvocation = (
  writer: RunWriter,
  invocationId: InvocationId,
  status: keyof typeof closingEvent,
): void => {
  const invocation = writer.state().invocations[invocationId];
  if (invocation === undefined || !canChange(invocation.status, status)) return;
  writer.record(draft(closingEvent[status], invocationId, { ...recordOf(invocation), status }));
};

/** What the events of an invocation say of it. */
export const recordOf = (invocation: InvocationState) => ({
  invocationId: invocation.id,
  ...(invocation.parent === null ? {} : { parentInvocationId: invocation.parent }),
  profileId: invocation.profileId,
  kind: invocation.kind,
});

/** What the events of a task say of it. */
export const partiesOf = ({ child, parent, taskId }: TaskState) => ({
  taskId,
  parentInvocationId: parent,
  childInvocationId: child,
});
