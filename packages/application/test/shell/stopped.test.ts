import { Runs } from "@cahier/application/run/Runs";
import * as PathMap from "@cahier/domain/run/PathMap";
import type { Shell } from "@cahier/ports/Shell";
import { assert, describe, it } from "@effect/vitest";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { ended, payloadsOf, reached, start } from "../support/play.ts";
import * as Shells from "../support/shell.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

/** A shell whose command goes on until it is told to stop, and how often one has begun or was interrupted. */
const endless = (onStop: ReturnType<Shell["Service"]["run"]>) => {
  const seen = { begun: Deferred.makeUnsafe<void>(), times: 0, interrupted: 0 };
  const shell = Shells.shellOf((_request, stop) =>
    Effect.suspend(() => {
      seen.times += 1;
      Deferred.doneUnsafe(seen.begun, Effect.void);
      return Effect.onInterrupt(Effect.andThen(stop, onStop), () => Effect.sync(() => (seen.interrupted += 1)));
    }),
  );
  return { seen, shell };
};

const stopped = Effect.succeed(
  Shells.exited({
    ended: "stopped",
    exitCode: null,
    output: { text: "half\n", truncated: false },
    changes: Shells.changes({ "scratch/half.md": "Half." }),
  }),
);

const profile = Shells.profileWith();

describe("a shell command whose run is cancelled", () => {
  it.effect("is told to stop, and what it had changed by then is kept and said before the run ends", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { seen, shell } = endless(stopped);
      const run = yield* Effect.gen(function* () {
        const handle = yield* start([Shells.shell("work"), ...World.publishing], { profile });
        yield* Deferred.await(seen.begun);
        yield* handle.cancel;
        return yield* ended(world, handle);
      }).pipe(World.inProcess(world, { shell }));
      assert.strictEqual(run.outcome.status, "cancelled");
      assert.strictEqual(PathMap.get(run.state.files, "scratch/half.md")?.chars, 5);
      const [result] = run.results;
      assert.strictEqual(result?.errorCode, "workspace.shell_cancelled");
      for (const words of ["because the work was cancelled", "half", "is kept", "scratch/half.md"])
        assert.include(result?.content, words);
      assert.strictEqual(payloadsOf(run.events, "tool_call_failed").length, 1);
      assert.isBelow(run.types.indexOf("workspace_file_written"), run.types.indexOf("run_cancel_requested"));
      assert.deepStrictEqual(run.texts, World.beginning);
      assert.strictEqual(seen.interrupted, 0);
    }),
  );

  it.effect("and that does not stop is interrupted after a second, and keeps nothing", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { seen, shell } = endless(Effect.never);
      const run = yield* Effect.gen(function* () {
        const handle = yield* start([Shells.shell("work"), ...World.publishing], { profile });
        yield* Deferred.await(seen.begun);
        const cancelling = yield* Effect.forkChild(handle.cancel, { startImmediately: true });
        yield* TestClock.adjust("1 second");
        yield* Fiber.join(cancelling);
        return yield* ended(world, handle);
      }).pipe(World.inProcess(world, { shell }));
      assert.strictEqual(run.outcome.status, "cancelled");
      assert.strictEqual(seen.interrupted, 1);
      assert.notInclude(run.types, "workspace_file_written");
    }),
  );
});

describe("a shell command whose process ends", () => {
  it.effect("is interrupted at once, and run again by whoever resumes the run", () =>
    Effect.gen(function* () {
      const world = World.make();
      const first = endless(stopped);
      const runId = yield* Effect.gen(function* () {
        const handle = yield* start([Shells.shell("work"), ...World.publishing], { profile });
        yield* Deferred.await(first.seen.begun);
        return handle.runId;
      }).pipe(World.inProcess(world, { shell: first.shell }));
      assert.strictEqual(first.seen.interrupted, 1);
      const run = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        return yield* ended(world, yield* runs.resume(runId));
      }).pipe(World.inProcess(world, { name: "second", shell: Shells.changing({ "scratch/whole.md": "Whole." }) }));
      assert.strictEqual(run.outcome.status, "completed");
      assert.isUndefined(PathMap.get(run.state.files, "scratch/half.md"));
      assert.isDefined(PathMap.get(run.state.files, "scratch/whole.md"));
    }),
  );
});

describe("a shell command of an agent whose task is given up", () => {
  it.effect("is told to stop, and what it had changed by then is kept while the others go on", () =>
    Effect.gen(function* () {
      const profiles = [Team.agent("critic", { tools: { allow: Shells.tools } })];
      const world = yield* Team.worldWith(profiles);
      const { seen, shell } = endless(stopped);
      const lead = Team.lead({
        tools: { allow: [...World.soloTools, "builtin:agent.delegate", "builtin:agent.cancel_task"], maxRounds: 20 },
      });
      const run = yield* Effect.gen(function* () {
        const handle = yield* Team.startTeam(
          [
            World.calls(Team.delegate("critic")),
            { ...World.call("agent_cancel_task", { taskId: Team.placeholder }), delayMs: 1000 },
            { ...World.publishing[0], delayMs: 1000 },
            ...World.publishing.slice(1),
          ],
          { critic: [[Shells.shell("work"), Team.returning("Done.")]] },
          { world, lead },
        );
        yield* Deferred.await(seen.begun);
        yield* TestClock.adjust("1 second");
        yield* reached(world, handle.runId, "agent_task_cancelled");
        yield* reached(world, handle.runId, "workspace_file_written");
        yield* TestClock.adjust("1 second");
        return yield* ended(world, handle);
      }).pipe(World.inProcess(world, Team.namingTask({ task: "" }, { shell })));
      assert.strictEqual(run.outcome.status, "completed");
      assert.strictEqual(
        run.results.find(({ errorCode }) => errorCode !== undefined)?.errorCode,
        "workspace.shell_cancelled",
      );
      assert.strictEqual(
        payloadsOf(run.events, "workspace_file_written").filter(({ path }) => path.endsWith("half.md")).length,
        1,
      );
    }),
  );
});
