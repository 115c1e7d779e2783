/** `workspace.create_checkpoint`: a name for the workspace as it is. */
import { nextCheckpointId } from "@cahier/domain/run/checkpoint";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { defineTool } from "../defineTool.ts";

/** Longest label in characters. */
const longestLabel = 200;

export const createCheckpoint = defineTool({
  name: "workspace.create_checkpoint",
  title: "Create a checkpoint",
  description:
    "Names the workspace as it is now, so that people can compare with it or go back to it. Nothing is copied and nothing changes.",
  parameters: Schema.Struct({
    label: Schema.optionalKey(
      Schema.String.check(Schema.isMaxLength(longestLabel)).annotate({
        description: `What this state is, in a few words; up to ${longestLabel} characters.`,
      }),
    ),
  }),
  effectClass: "internal",
  sideEffect: "Names the workspace as it is now.",
  run: (parameters, context) => {
    const label = parameters.label?.trim() ?? "";
    const id = nextCheckpointId(context.state);
    const named = label === "" ? {} : { label: label.toWellFormed() };
    return Effect.succeed({
      _tag: "Done" as const,
      content: `Checkpoint ${id}${label === "" ? "" : `, ${quote(label)},`} names the workspace as it is now.`,
      structured: { checkpointId: id, ...named },
      changes: [{ _tag: "Checkpoint" as const, id, ...named }],
    });
  },
});
