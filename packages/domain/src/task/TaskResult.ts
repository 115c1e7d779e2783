/**
 * What a delegated agent gives back: in its own words, and as it is kept.
 */
import * as Schema from "effect/Schema";
import { InvocationId, ProfileId, RunId, TaskId } from "../identity/Identity.ts";
import { ReturnStatus } from "./Task.ts";

const optional = Schema.optionalKey;

/** A file that belongs to a result. */
export const ReturnedArtifact = Schema.Struct({
  path: Schema.String.annotate({ description: "The file, such as summaries/notes.md." }),
  kind: Schema.String.annotate({ description: "What it is, such as notes or draft." }),
  role: optional(Schema.String.annotate({ description: "What it is for." })),
});
export type ReturnedArtifact = typeof ReturnedArtifact.Type;

/** The result as its agent states it. */
export const StatedResult = Schema.Struct({
  summary: Schema.String,
  status: optional(ReturnStatus),
  confidence: optional(Schema.Literals(["low", "medium", "high"])),
  artifacts: optional(Schema.Array(ReturnedArtifact)),
  findings: optional(Schema.Array(Schema.Record(Schema.String, Schema.Json))),
  warnings: optional(Schema.Array(Schema.String)),
  suggestedNextActions: optional(Schema.Array(Schema.String)),
  questionsForCaller: optional(Schema.Array(Schema.String)),
});
export type StatedResult = typeof StatedResult.Type;

/** The result as it is kept under `agent-results/`. */
export const StoredResult = Schema.Struct({
  schemaVersion: Schema.Literal(1),
  kind: Schema.Literal("cahier.agentTaskResult"),
  status: ReturnStatus,
  summary: Schema.String,
  summaryRef: Schema.String,
  result: StatedResult,
  runtime: Schema.Struct({
    taskId: TaskId,
    runId: RunId,
    parentInvocationId: InvocationId,
    childInvocationId: InvocationId,
    targetProfileId: ProfileId,
    workspaceKey: Schema.String,
  }),
});
export type StoredResult = typeof StoredResult.Type;

/** The file of the workspace that a task's summary is written to. */
export const summaryPath = (workspaceKey: string): string => `summaries/${workspaceKey}-result.md`;

/** Where a task's whole result is kept; agents do not see it. */
export const resultPath = (child: InvocationId): string => `agent-results/${child}.json`;

/** The name of a task in the workspace: its agent's id, with `-002`, `-003` and so on when the run has it already. */
export const workspaceKey = (taken: ReadonlyArray<string>, profileId: string): string => {
  for (let number = 1; ; number += 1) {
    const key = number === 1 ? profileId : `${profileId}-${String(number).padStart(3, "0")}`;
    if (!taken.includes(key)) return key;
  }
};
