/**
 * Runs in which one agent gives tasks to others, played from a script: no model and no network has a part in what they cost.
 */
import { profilesCollection } from "@cahier/application/profile/findProfile";
import { startRunFromChat } from "@cahier/application/run/startRun";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import { profileKind, profileSchemaVersion } from "@cahier/domain/profile/ProfileParts";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";

/** What a run plays: tasks that are given `together` in one turn, and waited for, so many `times`. */
export interface TeamRun {
  readonly chatFile: string;
  readonly together: number;
  readonly times: number;
  /** How long each turn of a delegated agent takes, in milliseconds. */
  readonly turnMs: number;
}

const base = { kind: profileKind, schemaVersion: profileSchemaVersion };

/** Stores the profile of the agent that takes the tasks. */
export const storeHelper = Effect.gen(function* () {
  const documents = yield* DocumentStore;
  yield* documents.put(profilesCollection, "helper", 0, {
    ...base,
    id: "helper",
    displayName: "Helper",
    description: "Looks at one thing.",
    delegation: { callable: true, allowAsSubagent: true },
    tools: { allow: ["builtin:workspace.read_file"], maxRounds: 4 },
  });
});

/** In the background a run may end without a commit. */
const lead = {
  ...base,
  id: "lead",
  displayName: "Lead",
  run: { presentation: "background" },
  delegation: { canDelegate: true, maxConcurrentInvocations: 8, maxInvocationsPerRun: 8 },
  tools: {
    maxRounds: 20,
    allow: [
      "builtin:agent.delegate",
      "builtin:agent.await",
      "builtin:workspace.write_file",
      "builtin:workspace.commit",
      "builtin:workspace.finish",
    ],
  },
};

/** The script of such a run as a model. */
export const scripted = ({ times, together, turnMs }: Omit<TeamRun, "chatFile">): ModelBinding => {
  const delegate = { name: "agent_delegate", arguments: { agentId: "helper", task: { objective: "Look at it." } } };
  const giving = {
    toolCalls: [
      ...Array.from({ length: together }, () => delegate),
      { name: "agent_await", arguments: { mode: "allCompleted" } },
    ],
  };
  const returning = { toolCalls: [{ name: "task_return", arguments: { summary: "It is there." } }], delayMs: turnMs };
  return {
    source: "scripted",
    format: "scripted",
    modelId: "script",
    script: JSON.stringify({
      format: "cahier.script/1",
      turns: [...Array.from({ length: times }, () => giving), { toolCalls: [{ name: "workspace_finish" }] }],
      agents: { helper: Array.from({ length: together * times }, () => ({ turns: [returning] })) },
    }),
  };
};

/** Runs to the end; a run in which not every task is completed is a defect of the benchmark. */
export const teamRun = Effect.fn("Benchmark.teamRun")(function* ({ chatFile, ...team }: TeamRun) {
  const run = yield* startRunFromChat({
    chat: { location: chatFile },
    profile: { document: lead },
    binding: scripted(team),
  });
  const outcome = yield* run.outcome;
  const completed = Object.values(run.state().tasks).filter(({ status }) => status === "completed").length;
  if (outcome.status !== "completed" || completed !== team.together * team.times)
    return yield* Effect.die(
      new Error(`the run ended as ${outcome.status} with ${completed} tasks: ${outcome.error?.message ?? ""}`),
    );
});
