import { Runs } from "@cahier/application/run/Runs";
import { openQuestions } from "@cahier/domain/run/openQuestions";
import type { RunState } from "@cahier/domain/run/RunState";
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import type { ToolSource } from "@cahier/ports/ToolSource";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";
import { toolOf } from "./tool/tools.ts";

const id = "mcp/0b0e8a52-4a3c-4c3e-9f0a-2f6f1f0c9d11:look_up";

const asking: ToolSource = {
  provider: "mcp",
  catalogue: Effect.succeed({
    tools: [{ descriptor: toolOf(id).descriptor, permission: "always", groupName: "Almanac" }],
    diagnostics: [],
  }),
  call: ({ ask }) =>
    Effect.map(ask({ message: "Which day?", schema: { type: "object" } }), ({ action }) => ({
      _tag: "Answered",
      content: action,
    })),
};

const document = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "asker",
  displayName: "Asker",
  tools: {
    allow: [id, ...["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`)],
    maxRounds: 9,
  },
};

type Request = (runs: Runs["Service"], runId: RunId, state: RunState) => Effect.Effect<unknown, Fatal>;

describe("what a process is asked that is alive and does not answer", () => {
  it.effect.each<readonly [string, Request, RegExp]>([
    ["a cancel", (runs, runId) => runs.cancel(runId), /end that process; then cancel the run again\.$/],
    [
      "guidance",
      (runs, runId) => runs.guide(runId, { text: "Be brief." }),
      /end that process; then resume the run and tell its agent again\.$/,
    ],
    [
      "an answer to a tool",
      (runs, runId, state) =>
        runs.answer(runId, { questionId: openQuestions(state)[0]?.questionId ?? "", action: "decline" }),
      /end that process; then resume the run: its question ends with that process\.$/,
    ],
  ])("fails with words that fit it: %s", ([, request, words]) =>
    Effect.gen(function* () {
      const world = World.make();
      const { runId, state } = yield* Effect.gen(function* () {
        const run = yield* start([World.call("mcp__Almanac__look_up"), ...World.publishing], {
          profile: { document },
          isAttended: true,
        });
        yield* reached(world, run.runId, "tool_question_asked");
        return { runId: run.runId, state: run.state() };
      }).pipe(World.inProcess(world, { sources: [asking] }));
      world.liveness.set("owner_first", "running");
      yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const fiber = yield* Effect.forkChild(Effect.flip(request(runs, runId, state)), { startImmediately: true });
        yield* TestClock.adjust("11 seconds");
        const failure = yield* Fiber.join(fiber);
        assert.strictEqual(failure.reason.code, "agent.host_timeout");
        assert.match(failure.message, words);
      }).pipe(World.inProcess(world, { name: "second" }));
    }),
  );
});
