/** `agent.cancel_task`: give up a task that the caller has given. */
import { recoverable } from "@cahier/domain/failure/Failure";
import { delegatedBy } from "@cahier/domain/run/tasks";
import { isOver } from "@cahier/domain/task/Task";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { defineTool } from "../defineTool.ts";

export const cancelTask = defineTool({
  name: "agent.cancel_task",
  title: "Give a task up",
  description:
    "Stops a task that you gave with agent.delegate and whose result you do not need any more. What it has written stays; you get no result of it.",
  parameters: Schema.Struct({
    taskId: Schema.String.annotate({ description: "The task, as agent.delegate named it." }),
  }),
  effectClass: "internal",
  sideEffect: "Stops the task {taskId}.",
  run: Effect.fnUntraced(function* (parameters, { invocation, state }) {
    const own = delegatedBy(state, invocation.id);
    const task = own.find(({ taskId }) => taskId === parameters.taskId);
    if (task === undefined)
      return yield* recoverable(
        "agent.await_task_not_found",
        own.length === 0
          ? "You have given no task."
          : `You have given no task ${quote(parameters.taskId)}. Your tasks are: ${own.map(({ taskId }) => taskId).join(", ")}.`,
      );
    if (isOver(task.status))
      return yield* recoverable(
        "agent.task_already_finished",
        `The task has ended already: it is ${task.status}. Look at its result with agent.await.`,
      );
    return {
      _tag: "Done" as const,
      content: `${task.targetProfileId} has stopped working on it.`,
      structured: { taskId: task.taskId, status: "cancelled" },
      changes: [{ _tag: "CancelTask" as const, taskId: task.taskId }],
    };
  }),
});
