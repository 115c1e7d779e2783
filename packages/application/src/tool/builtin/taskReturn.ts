/** `task.return`: the result of a delegated task. */
import { recoverable } from "@cahier/domain/failure/Failure";
import { isOver } from "@cahier/domain/task/Task";
import { taskOf } from "@cahier/domain/run/tasks";
import { ReturnedArtifact, summaryPath } from "@cahier/domain/task/TaskResult";
import { ReturnStatus } from "@cahier/domain/task/Task";
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import * as WorkspaceRoot from "@cahier/domain/workspace/WorkspaceRoot";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { admit, defineTool } from "../defineTool.ts";

const texts = (description: string) => Schema.optionalKey(Schema.Array(Schema.String).annotate({ description }));

export const taskReturn = defineTool({
  name: "task.return",
  title: "Return the result",
  description:
    "Ends your task with its result. Call it last and alone in its turn. The agent that gave you the task gets what you put in here, and can read the files that you name.",
  parameters: Schema.Struct({
    summary: Schema.String.annotate({
      description: "The result in words: what you found or made, or why the task could not be done.",
    }),
    status: Schema.optionalKey(
      ReturnStatus.annotate({ description: "failed when the task could not be done. Default completed." }),
    ),
    confidence: Schema.optionalKey(
      Schema.Literals(["low", "medium", "high"]).annotate({ description: "How sure you are." }),
    ),
    artifacts: Schema.optionalKey(
      Schema.Array(ReturnedArtifact).annotate({ description: "Files that belong to the result." }),
    ),
    findings: Schema.optionalKey(
      Schema.Array(Schema.Record(Schema.String, Schema.Json)).annotate({
        description: "Single findings, each as fields of your choice, such as place and problem.",
      }),
    ),
    warnings: texts("What the other agent must be careful about."),
    suggestedNextActions: texts("What you would do next."),
    questionsForCaller: texts("What you could not decide."),
  }),
  effectClass: "internal",
  sideEffect: "Ends the task with its result.",
  run: Effect.fnUntraced(function* (parameters, { access, invocation, state }) {
    const task = taskOf(state, invocation.id);
    if (task === undefined || invocation.kind !== "subagent")
      return yield* recoverable(
        "agent.task_return_denied",
        "You work on no task for another agent, so there is nothing to return. Finish your work instead.",
      );
    if (isOver(task.status) || invocation.finished)
      return yield* recoverable("agent.task_already_finished", "The task has its result already. Do nothing more.");
    if (parameters.summary.trim() === "")
      return yield* recoverable("tool.invalid_arguments", "summary is empty: say what came of the task.");
    const artifacts = yield* Effect.forEach(parameters.artifacts ?? [], (artifact) =>
      Effect.gen(function* () {
        const path = yield* admit(WorkspacePath.parse(artifact.path));
        yield* admit(WorkspaceRoot.admitRead(access, path));
        return { ...artifact, path };
      }),
    );
    const summary = parameters.summary.toWellFormed();
    const path = summaryPath(task.workspaceKey);
    return {
      _tag: "Done" as const,
      content: "The result is returned. Your task is done.",
      structured: { status: parameters.status ?? "completed", summaryPath: path },
      resourceRefs: [`workspace:${path}`],
      changes: [
        { _tag: "Write" as const, path, mode: "replace" as const, text: summary },
        {
          _tag: "ReturnTask" as const,
          result: { ...parameters, summary, ...(artifacts.length === 0 ? {} : { artifacts }) },
        },
      ],
    };
  }),
});
