/**
 * The results of tasks, read back and shown to the agent that gave them.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { TaskState } from "@cahier/domain/task/Task";
import { type CapsuleTask, type Ending } from "@cahier/domain/task/capsule";
import { StoredResult } from "@cahier/domain/task/TaskResult";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { forModel } from "../failure/forModel.ts";
import { toolName } from "../tool/toolNames.ts";
import type { Payloads } from "../payload/Payloads.ts";
import { invocationOf, type RunContext } from "./RunContext.ts";

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(StoredResult));

/** The stored result of a task; undefined for one that has none. */
export const readResult = Effect.fnUntraced(function* (
  payloads: Payloads,
  { result }: TaskState,
): Effect.fn.Return<StoredResult | undefined, Fatal> {
  if (result === null) return undefined;
  return yield* decode(yield* payloads.read(result)).pipe(
    Effect.mapError((cause) =>
      fatal("journal.corrupt", `${result.path} does not have the form that it was stored in.`, { cause }),
    ),
  );
});

/** A task as it is shown: with its result, or with why it has none. */
export const shownTask = Effect.fnUntraced(function* (
  payloads: Payloads,
  task: TaskState,
): Effect.fn.Return<CapsuleTask, Fatal> {
  const stored = yield* readResult(payloads, task);
  return {
    taskId: task.taskId,
    agent: task.targetProfileId,
    status: task.status,
    ...(stored === undefined ? {} : { result: stored.result, summaryPath: stored.summaryRef }),
    ...(task.error === null || stored !== undefined ? {} : { error: toldOf(task.status, task.error) }),
  };
});

/** Why a task was given up is said for the agent that gave it; why it failed is not. */
const toldOf = (status: TaskState["status"], { code, message }: NonNullable<TaskState["error"]>): string =>
  status === "failed" ? forModel(code, message) : message;

/** How the work of the invocation ends. */
export const endingOf = (context: RunContext): Ending => {
  const { messageBodyPath, snapshot } = context.setup;
  const { commits, presentation } = context.writer.state();
  return {
    isSubagent: invocationOf(context).kind === "subagent",
    publishes: presentation === "foreground",
    committed: commits.length > 0,
    messageBodyPath,
    commitTool: toolName(snapshot, "workspace.commit"),
    finishTool: toolName(snapshot, "workspace.finish"),
    returnTool: toolName(snapshot, "task.return"),
  };
};
