/** `workspace.finish`: end the run. */
import { recoverable } from "@cahier/domain/failure/Failure";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { defineTool } from "../defineTool.ts";

export const finish = defineTool({
  name: "workspace.finish",
  title: "Finish",
  description: "Ends the work. Call it last and alone, after the text has been published with workspace.commit.",
  parameters: Schema.Struct({
    reason: Schema.optionalKey(Schema.String.annotate({ description: "Why the work is done; kept in the record." })),
  }),
  effectClass: "internal",
  sideEffect: "Ends the run.",
  run: Effect.fnUntraced(function* (_parameters, context) {
    if (context.invocation.exitPolicy !== "run_finish_allowed")
      return yield* recoverable(
        "agent.child_finish_denied",
        "This work is a task for another agent: return its result with task.return instead.",
      );
    if (context.state.presentation === "foreground" && context.state.commits.length === 0)
      return yield* recoverable(
        "agent.foreground_commit_required",
        `Nothing has reached the chat yet. Publish ${quote(context.messageBodyPath)} with workspace.commit, then finish.`,
      );
    return { _tag: "Done" as const, content: "The work is finished.", changes: [{ _tag: "Finish" as const }] };
  }),
});
