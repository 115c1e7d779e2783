/**
 * Runs whose model is played from a script: no model and no network has a part in what they cost.
 */
import { startRunFromChat } from "@cahier/application/run/startRun";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import { profileKind, profileSchemaVersion } from "@cahier/domain/profile/ProfileParts";
import * as Effect from "effect/Effect";

/** A call of a tool, by the name that the model has for it. */
export interface ScriptedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** `turns` are the calls of each turn, before a last one that finishes. `tools` are the ids of those that the agent has. */
export interface ScriptedRun {
  readonly chatFile: string;
  readonly turns: ReadonlyArray<ReadonlyArray<ScriptedCall>>;
  readonly tools: ReadonlyArray<string>;
}

/** Runs to the end; a run that does not complete is a defect of the benchmark. */
export const scriptedRun = Effect.fn("Benchmark.scriptedRun")(function* ({ chatFile, tools, turns }: ScriptedRun) {
  const run = yield* startRunFromChat({
    chat: { location: chatFile },
    profile: { document: profileOf(tools) },
    binding: bindingOf(turns),
  });
  const outcome = yield* run.outcome;
  if (outcome.status !== "completed")
    return yield* Effect.die(new Error(`the run ended as ${outcome.status}: ${outcome.error?.message ?? ""}`));
  return outcome.runId;
});

/** In the background a run may end without a commit. */
const profileOf = (tools: ReadonlyArray<string>) => ({
  kind: profileKind,
  schemaVersion: profileSchemaVersion,
  id: "scripted",
  displayName: "Scripted",
  run: { presentation: "background" },
  tools: {
    allow: [...tools, "builtin:workspace.write_file", "builtin:workspace.commit", "builtin:workspace.finish"],
    maxRounds: 100,
    maxCallsPerRun: 200,
  },
});

const bindingOf = (turns: ScriptedRun["turns"]): ModelBinding => ({
  source: "scripted",
  format: "scripted",
  modelId: "script",
  script: JSON.stringify({
    format: "cahier.script/1",
    turns: [...turns.map((toolCalls) => ({ toolCalls })), { toolCalls: [{ name: "workspace_finish" }] }],
  }),
});
