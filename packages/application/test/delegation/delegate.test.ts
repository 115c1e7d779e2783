import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { payloadsOf } from "../support/play.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

describe("a delegated task", () => {
  it.effect("runs beside the agent that gave it, and its result is awaited", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic")]);
      const run = yield* Team.playTeam(
        [World.write("Draft."), World.calls(Team.delegate("critic")), Team.awaitAll, World.commit, World.finish],
        { critic: [[World.call("workspace_read_file", { path: "output/main.md" }), Team.returning("It is short.")]] },
        { world },
      );
      assert.strictEqual(run.outcome.status, "completed");
      assert.strictEqual(payloadsOf(run.events, "agent_task_completed").length, 1);
    }),
  );
});
