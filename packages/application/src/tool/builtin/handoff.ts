/** `agent.handoff`: another agent takes the caller's place for good. */
import { recoverable } from "@cahier/domain/failure/Failure";
import * as Brief from "@cahier/domain/task/brief";
import { delegatedBy } from "@cahier/domain/run/tasks";
import { isOver } from "@cahier/domain/task/Task";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { chooseAgent } from "../../delegation/chooseAgent.ts";
import { defineTool } from "../defineTool.ts";
import type { ToolContext } from "../Tool.ts";

const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }));
const texts = (description: string) => Schema.optionalKey(Schema.Array(Schema.String).annotate({ description }));

export const handoff = defineTool({
  name: "agent.handoff",
  title: "Hand the work over",
  description:
    "Hands your work over to another agent, which takes your place and finishes it; you do not get it back. It works in the same workspace and sees what you say here, not your conversation. Call it last and alone in its turn, when no task that you gave is under way.",
  parameters: Schema.Struct({
    agentId: Schema.String.annotate({ description: "The agent, by its name in the list of agents." }),
    handoff: Schema.StructWithRest(
      Schema.Struct({
        objective: Schema.String.annotate({
          description: `What is left to be done; up to ${Brief.longestText} characters.`,
        }),
        title: text("What the work is called, in a few words."),
        reason: text("Why you hand it over."),
        contextSummary: text("What has been done and decided, and what the other agent must know."),
        workspaceRefs: texts("Paths of files that matter."),
        mustPreserve: texts("What must stay as it is."),
        completionCriteria: texts("When the work is done."),
      }),
      [Schema.Record(Schema.String, Schema.Json)],
    ).annotate({ description: "What the other agent is told." }),
    pendingTaskPolicy: Schema.optionalKey(
      Schema.Literal("denyIfPending").annotate({
        description: "What happens while tasks are under way. denyIfPending, the only choice, refuses.",
      }),
    ),
  }),
  effectClass: "internal",
  sideEffect: "Lets the agent {agentId} take over the work.",
  run: Effect.fnUntraced(function* (parameters, context) {
    const flaw = Brief.flawOf("handoff", parameters.handoff);
    if (flaw !== undefined) return yield* recoverable("tool.invalid_arguments", flaw);
    const open = delegatedBy(context.state, context.invocation.id).filter(({ status }) => !isOver(status));
    if (open.length > 0)
      return yield* recoverable(
        "agent.handoff_pending_tasks",
        `Tasks that you gave are under way: ${open.map(({ targetProfileId }) => targetProfileId).join(", ")}. Wait for them with agent.await, or give them up with agent.cancel_task, then hand over.`,
      );
    const profile = yield* chooseAgent(context, "handoff", parameters.agentId.trim());
    const taskId = `handoff_${context.nextHex()}`;
    return {
      _tag: "Done" as const,
      content: `${profile.id} takes over. Your part is done.`,
      structured: { taskId, agentId: profile.id, status: "queued" },
      changes: [
        { _tag: "Handoff" as const, taskId, profile, brief: Brief.handoffBrief(parameters.handoff, notesOf(context)) },
      ],
    };
  }),
});

/** What whoever takes over must know of the state of the work. */
const notesOf = ({ messageBodyPath, state }: ToolContext): ReadonlyArray<string> => [
  "You take over from another agent, which has worked in the same workspace before you. Its files are there under the paths that are named here.",
  state.commits.length === 0
    ? `Nothing has been published yet. The message is drafted in ${messageBodyPath}, unless something else is said here.`
    : `The message has been published already, from ${state.commits.at(-1)?.path ?? messageBodyPath}. What you publish takes its place.`,
  "Finish the work yourself: nobody takes it back from you.",
];
