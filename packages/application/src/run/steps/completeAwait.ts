/** The end of a wait for tasks: the call is closed with what has become of them. */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { Step } from "@cahier/domain/run/nextStep";
import { draft } from "@cahier/domain/run/RunEvent";
import { isOver, type TaskState } from "@cahier/domain/task/Task";
import { capsule } from "@cahier/domain/task/capsule";
import type { ToolResult } from "@cahier/domain/tool/ToolResult";
import * as Effect from "effect/Effect";
import { endingOf, shownTask } from "../readResult.ts";
import type { RunContext } from "../RunContext.ts";
import { closeCall, identityOf } from "./closeCall.ts";

/**
 * Closes the call. Results that are told here are told nowhere else; those that were told before are told again only where
 * nothing else was asked about.
 */
export const completeAwait = Effect.fnUntraced(function* (
  context: RunContext,
  { awaiting, call, turn }: Extract<Step, { _tag: "AwaitTasks" }>,
  timedOut: boolean,
): Effect.fn.Return<void, Fatal> {
  const { invocationId, writer } = context;
  const startedAt = writer.now();
  const { tasks: all } = writer.state();
  const tasks = awaiting.taskIds.flatMap((id) => all[id] ?? []);
  const told = tasks.filter(({ delivery, status }) => isOver(status) && delivery === "none");
  writer.record({
    ...draft("agent_await_completed", invocationId, {
      parentInvocationId: invocationId,
      callId: call.callId,
      mode: awaiting.mode,
      timedOut,
      taskCount: tasks.length,
      deliveredTaskIds: told.map(({ taskId }) => taskId),
    }),
    ...(timedOut ? { level: "warn" as const } : {}),
  });
  const result: ToolResult = {
    ...identityOf(call),
    content: yield* contentOf(context, tasks, told, timedOut),
    isError: false,
    structured: {
      timedOut,
      tasks: tasks.map(({ status, targetProfileId, taskId }) => ({ taskId, agentId: targetProfileId, status })),
    },
    resourceRefs: [],
  };
  yield* closeCall(context, turn, call, result, { elapsedMs: writer.now() - startedAt });
});

const contentOf = Effect.fnUntraced(function* (
  context: RunContext,
  tasks: ReadonlyArray<TaskState>,
  told: ReadonlyArray<TaskState>,
  timedOut: boolean,
): Effect.fn.Return<string, Fatal> {
  const others = tasks.filter((task) => !told.includes(task)).map(lineOf);
  const shown = yield* Effect.forEach(told, (task) => shownTask(context.payloads, task));
  return [
    ...(timedOut ? ["The time is up; what has not ended goes on."] : []),
    ...(others.length === 0 ? [] : [others.join("\n")]),
    ...(shown.length === 0 ? [] : [capsule(shown, endingOf(context))]),
  ].join("\n\n");
});

const lineOf = ({ delivery, status, targetProfileId, taskId }: TaskState): string =>
  `- ${targetProfileId} (${taskId}): ${status}${delivery === "none" ? "" : "; you were given its result before"}`;
