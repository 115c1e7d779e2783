/** `agent.await`: wait for tasks that the caller has given, or see how they stand. */
import { recoverable } from "@cahier/domain/failure/Failure";
import { delegatedBy } from "@cahier/domain/run/tasks";
import { AwaitMode } from "@cahier/domain/task/Task";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { defineTool } from "../defineTool.ts";

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 300_000;

export const awaitTasks = defineTool({
  name: "agent.await",
  title: "Wait for tasks",
  description:
    "Waits for tasks that you gave with agent.delegate and gives you their results, or says how they stand. You need not call it to get results: they come by themselves. When the time is up you go on, and so do the tasks.",
  parameters: Schema.Struct({
    taskIds: Schema.optionalKey(
      Schema.Array(Schema.String).annotate({ description: "The tasks, as agent.delegate named them. Default: all." }),
    ),
    mode: Schema.optionalKey(
      AwaitMode.annotate({
        description:
          "nextCompleted (the default) waits for the next result that you do not have, allCompleted for all, statusOnly for nothing.",
      }),
    ),
    timeoutMs: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxTimeoutMs })).annotate({
        description: `Longest wait in milliseconds, up to ${maxTimeoutMs}. Default ${defaultTimeoutMs}.`,
      }),
    ),
  }),
  annotations: { readOnly: true },
  effectClass: "internal",
  run: Effect.fnUntraced(function* (parameters, { invocation, state }) {
    const own = delegatedBy(state, invocation.id).map(({ taskId }) => taskId);
    if (own.length === 0)
      return yield* recoverable(
        "agent.no_child_tasks",
        "You have given no task. Give one with agent.delegate first, or go on by yourself.",
      );
    const asked = parameters.taskIds ?? [];
    const unknown = asked.find((id) => !own.some((taskId) => taskId === id));
    if (unknown !== undefined)
      return yield* recoverable(
        "agent.await_task_not_found",
        `You have given no task ${quote(unknown)}. Your tasks are: ${own.join(", ")}.`,
      );
    return {
      _tag: "Await" as const,
      mode: parameters.mode ?? "nextCompleted",
      taskIds: asked.length === 0 ? own : own.filter((taskId) => asked.some((id) => taskId === id)),
      timeoutMs: parameters.timeoutMs ?? defaultTimeoutMs,
    };
  }),
});
