import * as PathMap from "@cahier/domain/run/PathMap";
import { readWorkspaceFile } from "@cahier/application/run/RunReader";
import type { Tool } from "@cahier/application/tool/Tool";
import { ToolId } from "@cahier/domain/tool/ToolId";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { ended, payloadsOf, play, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";

const id = ToolId.make("extension/outside:reach");

/** A tool of an extension that answers whatever a test says, of whatever type. */
const answering = (run: () => Effect.Effect<unknown, unknown>, timeoutMs = 120_000): Tool => ({
  descriptor: {
    id,
    title: "Reach",
    description: "Reaches outside.",
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false, cost: "none" },
    source: "extension",
    visibility: "model",
    permission: "always",
    budget: { timeoutMs },
  },
  // What a careless author or plain JavaScript would give.
  run: run as unknown as Tool["run"],
});

const done = (more: object): Effect.Effect<unknown> => Effect.succeed({ _tag: "Done", content: "Done.", ...more });

const profile = {
  document: {
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "reacher",
    displayName: "Reacher",
    tools: {
      allow: [id, ...["read_file", "write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`)],
      maxRounds: 9,
      policy: [{ tools: [id], permission: "always" }],
    },
  },
};

const reaching = (tool: Tool, world = World.make(), args: object = {}) =>
  play([World.call("reach", args), ...World.publishing], { world, profile, process: { tools: [tool] } });

describe("a tool from outside", () => {
  it.effect.each<readonly [string, () => Effect.Effect<unknown, unknown>]>([
    ["nothing", () => Effect.succeed(undefined)],
    ["an empty object", () => Effect.succeed({})],
    ["a number as content", () => Effect.succeed({ _tag: "Done", content: 5 })],
    ["data that is no JSON", () => done({ structured: { a: 10n } })],
    ["a change that there is not", () => done({ changes: [{ _tag: "Delete", path: "output/main.md" }] })],
    ["files removed at once", () => done({ changes: [{ _tag: "Tree", seen: [], changes: [] }] })],
    ["the end of the run", () => done({ changes: [{ _tag: "Finish" }] })],
    ["a message of the chat", () => Effect.succeed({ _tag: "Commit", path: "output/main.md", mode: "replace" })],
    ["an error of its own", () => Effect.fail({ reason: "The line is dead." })],
    ["an exception", () => Effect.die(new TypeError("no line"))],
    ["its own interruption", () => Effect.interrupt],
  ])("that gives %s is told so, and the run goes on", ([, run]) =>
    Effect.gen(function* () {
      const played = yield* reaching(answering(run));
      assert.strictEqual(played.results[0]?.errorCode, "extension.tool_error");
      assert.strictEqual(played.outcome.status, "completed");
      assert.deepStrictEqual(played.texts, [...World.beginning, "They wait by the river."]);
    }),
  );

  it.effect.each([
    ["out of the workspace", "../../evil.md", "workspace.invalid_path"],
    ["into long results", "tool-results/a.md", "workspace.path_not_writable"],
  ] as const)("writes nothing %s", ([, path, code]) =>
    Effect.gen(function* () {
      const change = { _tag: "Write", path, mode: "replace", text: "Text." };
      const played = yield* reaching(answering(() => done({ changes: [change] })));
      assert.strictEqual(played.results[0]?.errorCode, code);
      assert.deepStrictEqual(PathMap.paths(played.state.files), ["output/main.md"]);
      assert.strictEqual(played.outcome.status, "completed");
    }),
  );

  it.effect.each([
    ["that it made", {}],
    ["that it says is an argument and is not", { argument: "text" }],
  ] as const)("writes text %s so that other processes can read it", ([, more]) =>
    Effect.gen(function* () {
      const world = World.make();
      const text = "Gulls. ".repeat(500);
      const change = { _tag: "Write", path: "output/gulls.md", mode: "replace", text, ...more };
      const { runId } = yield* reaching(
        answering(() => done({ changes: [change] })),
        world,
        { text: "another" },
      );
      const file = yield* readWorkspaceFile(runId, "output/gulls.md").pipe(World.inProcess(world, { name: "reader" }));
      assert.strictEqual(file.text, text);
    }),
  );

  it.effect("that cannot be interrupted is not waited for: neither its time limit nor a cancel hangs on it", () =>
    Effect.gen(function* () {
      const endless = answering(() => Effect.uninterruptible(Effect.never), 1000);
      const world = World.make();
      const timed = yield* Effect.gen(function* () {
        const run = yield* start([World.call("reach"), ...World.publishing], { profile });
        const fiber = yield* Effect.forkChild(ended(world, run));
        yield* reached(world, run.runId, "tool_call_started");
        yield* TestClock.adjust("1 second");
        return yield* Fiber.join(fiber);
      }).pipe(World.inProcess(world, { tools: [endless] }));
      assert.strictEqual(timed.results[0]?.errorCode, "tool.timeout");
      assert.strictEqual(timed.outcome.status, "completed");
      const other = World.make();
      const cancelled = yield* Effect.gen(function* () {
        const run = yield* start([World.call("reach")], { profile });
        yield* reached(other, run.runId, "tool_call_started");
        return yield* run.cancel;
      }).pipe(World.inProcess(other, { tools: [endless] }));
      assert.strictEqual(cancelled.status, "cancelled");
    }),
  );

  it.effect("may check-point and write what an invocation may write", () =>
    Effect.gen(function* () {
      const played = yield* reaching(
        answering(() => done({ changes: [{ _tag: "Write", path: "scratch/list.md", mode: "append", text: "One." }] })),
      );
      assert.isFalse(played.results[0]?.isError);
      assert.deepStrictEqual(
        payloadsOf(played.events, "workspace_file_written").map(({ path }) => path),
        ["scratch/list.md", "output/main.md"],
      );
    }),
  );
});
