import { Runs } from "@cahier/application/run/Runs";
import type { RunHandle } from "@cahier/application/run/supervise";
import type { ApprovalAnswer } from "@cahier/domain/run/decideApproval";
import { awaitingCalls } from "@cahier/domain/run/RunState";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { ended, payloadsOf, reached, reachedInbox } from "../support/play.ts";
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

  /** While the critic waits for people, a reader and the lead still have something to do. */
  const busy = (world: World.World) =>
    Team.startTeam(
      [
        World.calls(Team.delegate("critic"), Team.delegate("reader")),
        World.write("Draft."),
        World.commit,
        Team.awaitAll,
        World.finish,
      ],
      { ...agents, reader: [[{ ...Team.returning("It reads well."), delayMs: 60_000 }]] },
    ).pipe(
      Effect.tap((run) => reached(world, run.runId, "tool_call_awaiting_approval")),
      Effect.tap((run) => reached(world, run.runId, "agent_await_started")),
    );

  const questionOf = (run: RunHandle) => {
    const [asked] = awaitingCalls(run.state());
    if (asked === undefined) throw new Error("nobody is asked");
    return { callId: asked.call.callId, invocationId: asked.invocation.id };
  };

  it.effect("is answered while others go on working, and its agent goes on at once", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([asker, Team.agent("reader")]);
      yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const run = yield* busy(world);
        assert.notStrictEqual(run.state().status, "awaiting_approval");
        const question = questionOf(run);
        const carried = yield* runs.decide(run.runId, { ...question, approved: true });
        assert.strictEqual(carried?.runId, run.runId);
        yield* reached(world, run.runId, "agent_task_completed");
        const again = yield* Effect.flip(runs.decide(run.runId, { ...question, approved: false }));
        assert.strictEqual(again.reason.code, "agent.approval_not_found");
        yield* TestClock.adjust(60_000);
        const found = yield* ended(world, run);
        assert.strictEqual(found.outcome.status, "completed");
        assert.notInclude(
          payloadsOf(found.events, "status_changed").map(({ to }) => to),
          "awaiting_approval",
        );
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("is answered from another process while others go on working", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([asker, Team.agent("reader")]);
      yield* Effect.gen(function* () {
        const run = yield* busy(world);
        const question = questionOf(run);
        const decide = (answer: Partial<ApprovalAnswer>) =>
          Effect.flatMap(Runs, (runs) => runs.decide(run.runId, { ...question, approved: true, ...answer })).pipe(
            World.inProcess(world, { name: "other" }),
          );
        const changed = yield* Effect.flip(decide({ argumentsSha256: "0".repeat(64) }));
        assert.strictEqual(changed.reason.code, "agent.approval_arguments_changed");
        const answered = yield* Effect.forkScoped(decide({}));
        yield* reachedInbox(world, run.runId);
        yield* TestClock.adjust(1000);
        assert.isUndefined(yield* Fiber.join(answered));
        yield* reached(world, run.runId, "agent_task_completed");
        yield* TestClock.adjust(60_000);
        assert.strictEqual((yield* ended(world, run)).outcome.status, "completed");
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("waits on when the others have nothing left to do before it is answered", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([asker, Team.agent("reader")]);
      yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const run = yield* busy(world);
        yield* TestClock.adjust(60_000);
        assert.strictEqual((yield* run.outcome).status, "awaiting_approval");
        const handle = yield* runs.decide(run.runId, { ...questionOf(run), approved: false });
        assert.isDefined(handle);
        if (handle !== undefined) assert.strictEqual((yield* ended(world, handle)).outcome.status, "completed");
      }).pipe(World.inProcess(world));
    }),
  );
});
