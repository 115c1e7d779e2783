/**
 * One whole run from the chat to its end, against the model server.
 */
import { startRunFromChat } from "@cahier/application/run/startRun";
import { profileKind, profileSchemaVersion } from "@cahier/domain/profile/ProfileParts";
import * as Effect from "effect/Effect";

/** `rounds` tool rounds are allowed, and the finish. */
export interface AgentRun {
  readonly chatFile: string;
  readonly baseUrl: string;
  readonly rounds: number;
  readonly tools: ReadonlyArray<string>;
}

/** Starts it; the handle tells when it has ended. */
export const startRun = ({ baseUrl, chatFile, rounds, tools }: AgentRun) =>
  startRunFromChat({
    chat: { location: chatFile },
    profile: { document: profileOf(rounds, tools) },
    binding: { source: "custom", format: "openai-chat", modelId: "bench", baseUrl },
  });

/** Runs to the end; a run that does not complete is a defect of the benchmark. */
export const agentRun = Effect.fn("Benchmark.agentRun")(function* (run: AgentRun) {
  const started = yield* startRun(run);
  const outcome = yield* started.outcome;
  if (outcome.status !== "completed")
    return yield* Effect.die(new Error(`the run ended as ${outcome.status}: ${outcome.error?.message ?? ""}`));
  return outcome.runId;
});

/** In the background a run may end without a commit, as the bare loop does. */
const profileOf = (rounds: number, tools: ReadonlyArray<string>) => ({
  kind: profileKind,
  schemaVersion: profileSchemaVersion,
  id: "benchmark",
  displayName: "Benchmark",
  run: { presentation: "background" },
  tools: {
    allow: [...tools, "builtin:workspace.write_file", "builtin:workspace.commit", "builtin:workspace.finish"],
    maxRounds: rounds + 1,
    maxCallsPerRun: rounds + 1,
  },
});
