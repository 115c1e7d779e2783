/** `agent.delegate`: a task for another agent, which works on it while the caller goes on. */
import { recoverable } from "@cahier/domain/failure/Failure";
import { builtin } from "@cahier/domain/tool/ToolId";
import { builtinAlias } from "@cahier/domain/tool/ToolSnapshot";
import * as Brief from "@cahier/domain/task/brief";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { chooseAgent } from "../../delegation/chooseAgent.ts";
import { defineTool } from "../defineTool.ts";

const returnTool = builtinAlias(builtin("task.return"));

export const delegate = defineTool({
  name: "agent.delegate",
  title: "Delegate a task",
  description:
    "Gives a task to another agent, which works on it in the same workspace while you go on. Its result comes to you by itself when it is there; wait for it with agent.await only if you cannot go on without it. Say in the task everything that the other agent must know: it does not see your work, only the files that you name.",
  parameters: Schema.Struct({
    agentId: Schema.String.annotate({ description: "The agent, by its name in the list of agents." }),
    task: Schema.StructWithRest(
      Schema.Struct({
        objective: Schema.String.annotate({
          description: `What is to be done; up to ${Brief.longestText} characters.`,
        }),
        title: Schema.optionalKey(Schema.String.annotate({ description: "What the task is called, in a few words." })),
        context: Schema.optionalKey(
          Schema.Record(Schema.String, Schema.Json).annotate({
            description: "What the other agent must know, as fields of your choice: facts, paths of files, limits.",
          }),
        ),
        expectedOutput: Schema.optionalKey(
          Schema.Record(Schema.String, Schema.Json).annotate({
            description: "What you want back and in which form, as fields of your choice.",
          }),
        ),
      }),
      [Schema.Record(Schema.String, Schema.Json)],
    ).annotate({ description: "The task." }),
  }),
  effectClass: "internal",
  sideEffect: "Has the agent {agentId} work on a task.",
  run: Effect.fnUntraced(function* (parameters, context) {
    const flaw = Brief.flawOf("task", parameters.task);
    if (flaw !== undefined) return yield* recoverable("tool.invalid_arguments", flaw);
    const profile = yield* chooseAgent(context, "delegate", parameters.agentId.trim());
    const taskId = `task_${context.nextHex()}`;
    return {
      _tag: "Done" as const,
      content: `${profile.id} works on it now, as task ${taskId}. Go on with your own work: you are told the result when it is there.`,
      structured: { taskId, agentId: profile.id, status: "queued" },
      changes: [{ _tag: "Delegate" as const, taskId, profile, brief: Brief.taskBrief(parameters.task, returnTool) }],
    };
  }),
});
