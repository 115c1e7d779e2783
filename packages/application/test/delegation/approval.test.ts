import { Runs } from "@cahier/application/run/Runs";
import { awaitingCalls } from "@cahier/domain/run/RunState";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { ended } from "../support/play.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

const asker = Team.agent("critic", {
  tools: { policy: [{ tools: ["builtin:workspace.write_file"], permission: "ask" }] },
});

const agents: Team.Agents = {
  critic: [[World.write("Notes.", "scratch/notes.md"), Team.returning("Noted.")]],
};

describe("a call of a delegated agent that people must allow", () => {
  it.effect("keeps the run waiting only when nothing else can go on, and then is answered like any other", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([asker]);
      const waiting = yield* Team.playTeam(
        [World.calls(Team.delegate("critic")), World.write("Draft."), World.commit, Team.awaitAll, World.finish],
        agents,
        { world },
      );
      assert.strictEqual(waiting.outcome.status, "awaiting_approval");
      // Whoever gave the task had done everything else by then.
      assert.deepStrictEqual(waiting.texts, [...World.beginning, "Draft."]);
      const [asked] = awaitingCalls(waiting.state);
      assert.strictEqual(asked?.invocation.kind, "subagent");
      if (asked === undefined) return;
      yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const run = yield* runs.decide(waiting.runId, {
          callId: asked.call.callId,
          invocationId: asked.invocation.id,
          approved: true,
        });
        assert.isDefined(run);
        if (run === undefined) return;
        const found = yield* ended(world, run);
        assert.strictEqual(found.outcome.status, "completed");
        assert.deepStrictEqual(
          Object.values(found.state.tasks).map(({ status }) => status),
          ["completed"],
        );
      }).pipe(World.inProcess(world, { name: "second" }));
    }),
  );

  it.effect("is asked no more once whoever gave the task has finished", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([asker]);
      const run = yield* Team.playTeam([World.calls(Team.delegate("critic")), ...World.publishing], agents, { world });
      assert.strictEqual(run.outcome.status, "completed");
      assert.deepStrictEqual(awaitingCalls(run.state), []);
    }),
  );
});
