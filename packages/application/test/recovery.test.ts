import { Runs } from "@cahier/application/run/Runs";
import type { Reconciliation, Tool, ToolContext } from "@cahier/application/tool/Tool";
import { forkRun } from "@cahier/application/fork/forkRun";
import * as Transcript from "@cahier/application/prompt/Transcript";
import * as Payloads from "@cahier/application/payload/Payloads";
import { recoverable } from "@cahier/domain/failure/Failure";
import { CallId, RunId } from "@cahier/domain/identity/Identity";
import * as Log from "@cahier/domain/run/Log";
import type { MessageReference } from "@cahier/domain/run/RunState";
import { spent } from "@cahier/domain/run/RunState";
import type { EffectClass } from "@cahier/domain/tool/ToolDescriptor";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Latch from "effect/Latch";
import * as TestClock from "effect/testing/TestClock";
import { ended, payloadsOf, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";
import { done, toolOf } from "./tool/tools.ts";

const id = "extension/outside:reach";

const profile = {
  document: {
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "reacher",
    displayName: "Reacher",
    tools: {
      allow: [id, ...["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`)],
      maxRounds: 9,
      policy: [{ tools: [id], permission: "always" }],
    },
  },
};

const turns = [World.call("reach"), World.call("reach"), ...World.publishing];

/** An outside that a call reaches, and the tool that does. The first call hangs until its process dies. */
const outside = (effectClass: EffectClass, reconcile?: NonNullable<Tool["reconcile"]>) => {
  const keys: Array<string> = [];
  const hangs = Latch.makeUnsafe(false);
  const reach = (_: unknown, { key }: ToolContext) =>
    Effect.suspend(() => {
      hangs.openUnsafe();
      return keys.push(key) === 1 ? Effect.never : Effect.succeed(done(`reached ${keys.length}`));
    });
  const tool = toolOf(id, { effectClass, run: reach });
  return { keys, hangs, tool: reconcile === undefined ? tool : { ...tool, reconcile } };
};

/** A run whose process dies while it is in the call. */
const dying = Effect.fnUntraced(function* (world: World.World, { hangs, tool }: ReturnType<typeof outside>) {
  return yield* Effect.gen(function* () {
    const run = yield* start(turns, { profile });
    yield* hangs.await;
    return run.runId;
  }).pipe(World.inProcess(world, { tools: [tool] }));
});

const resumed = Effect.fnUntraced(function* (reached: ReturnType<typeof outside>) {
  const world = World.make();
  const { tool } = reached;
  const runId = yield* dying(world, reached);
  return yield* Effect.gen(function* () {
    const runs = yield* Runs;
    return yield* ended(world, yield* runs.resume(runId));
  }).pipe(World.inProcess(world, { tools: [tool], name: "second" }));
});

describe("a call that was in flight", () => {
  it.effect.each<EffectClass>(["idempotent", "keyed"])("and is %s is made again under the same key", (effectClass) =>
    Effect.gen(function* () {
      const reaching = outside(effectClass);
      const found = yield* resumed(reaching);
      assert.strictEqual(found.outcome.status, "completed");
      assert.strictEqual(reaching.keys.length, 3);
      assert.strictEqual(reaching.keys[0], reaching.keys[1]);
      assert.match(reaching.keys[0] ?? "", /^call_[0-9a-f]{32}$/);
      assert.strictEqual(found.results[0]?.content, "reached 2");
      assert.strictEqual(payloadsOf(found.events, "tool_call_started")[0]?.effectClass, effectClass);
    }),
  );

  it.effect("and cannot be repeated is told to the model as unknown, and the run goes on", () =>
    Effect.gen(function* () {
      const reaching = outside("irreversible");
      const found = yield* resumed(reaching);
      assert.strictEqual(found.outcome.status, "completed");
      assert.strictEqual(reaching.keys.length, 2);
      assert.strictEqual(found.results[0]?.errorCode, "tool.outcome_unknown");
    }),
  );

  it.effect("whose tool knows what became of it has that result", () =>
    Effect.gen(function* () {
      const asked: Array<string> = [];
      const reaching = outside("irreversible", (_, { call, key }) =>
        Effect.sync(() => {
          asked.push(call.callId, key);
          return { _tag: "Known", outcome: { _tag: "Done", content: "It had arrived." } };
        }),
      );
      const found = yield* resumed(reaching);
      assert.strictEqual(found.outcome.status, "completed");
      assert.deepStrictEqual(asked, ["call_0_0", reaching.keys[0]]);
      assert.strictEqual(reaching.keys.length, 2);
      assert.deepStrictEqual([found.results[0]?.content, found.results[0]?.isError], ["It had arrived.", false]);
    }),
  );

  it.effect("whose tool knows that it never took effect is made", () =>
    Effect.gen(function* () {
      const reaching = outside("irreversible", () => Effect.succeed({ _tag: "NeverHappened" }));
      const found = yield* resumed(reaching);
      assert.strictEqual(reaching.keys.length, 3);
      assert.strictEqual(found.results[0]?.content, "reached 2");
    }),
  );

  it.effect.each<readonly [string, () => Effect.Effect<unknown, unknown>]>([
    ["says that it does not know", () => Effect.succeed({ _tag: "Unknown" })],
    ["says something else", () => Effect.succeed({ _tag: "Perhaps" })],
    ["knows a result that no tool may give", () => Effect.succeed({ _tag: "Known", outcome: { _tag: "Commit" } })],
    ["fails", () => Effect.fail(recoverable("tool.timeout", "No answer."))],
    ["breaks", () => Effect.die("broken")],
  ])("whose tool %s is unknown to the model", ([, answer]) =>
    Effect.gen(function* () {
      const reconcile = answer as unknown as () => Effect.Effect<Reconciliation>;
      const reaching = outside("irreversible", reconcile);
      const found = yield* resumed(reaching);
      assert.strictEqual(found.outcome.status, "completed");
      assert.strictEqual(reaching.keys.length, 2);
      assert.strictEqual(found.results[0]?.errorCode, "tool.outcome_unknown");
    }),
  );

  it.effect("whose tool does not answer in time is unknown to the model", () =>
    Effect.gen(function* () {
      const reaching = outside("irreversible", () => Effect.never);
      const world = World.make();
      const runId = yield* dying(world, reaching);
      const found = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const run = yield* runs.resume(runId);
        yield* reached(world, runId, "run_resumed");
        yield* Effect.yieldNow;
        yield* TestClock.adjust(reaching.tool.descriptor.budget.timeoutMs);
        return yield* ended(world, run);
      }).pipe(World.inProcess(world, { tools: [reaching.tool], name: "second" }));
      assert.strictEqual(found.results[0]?.errorCode, "tool.outcome_unknown");
    }),
  );

  it.effect("is made by a fork under the key of the run that began it, and later calls under keys of their own", () =>
    Effect.gen(function* () {
      const reaching = outside("keyed");
      const { tool } = reaching;
      const world = World.make();
      const runId = yield* dying(world, reaching);
      const last = world.journals.journals.get(runId)?.events.at(-1)?.seq ?? 0;
      const forked = yield* Effect.gen(function* () {
        return yield* ended(world, yield* forkRun(runId, last));
      }).pipe(World.inProcess(world, { tools: [tool], name: "second" }));
      assert.strictEqual(forked.outcome.status, "completed");
      assert.strictEqual(reaching.keys.length, 3);
      assert.strictEqual(reaching.keys[0], reaching.keys[1]);
      assert.notStrictEqual(reaching.keys[1], reaching.keys[2]);
    }),
  );
});

describe("a model call that was in flight", () => {
  it.effect("counts twice in what the run has spent, because it may have cost as much as the one that answered", () =>
    Effect.gen(function* () {
      const usage = { inputTokens: 100, outputTokens: 10 };
      const script = [{ ...World.write("They wait."), usage, delayMs: 1000 }, World.commit, World.finish];
      const world = World.make();
      const runId = yield* Effect.gen(function* () {
        const run = yield* start(script);
        yield* reached(world, run.runId, "model_call_attempt_started");
        return run.runId;
      }).pipe(World.inProcess(world));
      const found = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const run = yield* runs.resume(runId);
        yield* reached(world, runId, "model_call_attempt_started", 2);
        yield* TestClock.adjust(1000);
        return yield* ended(world, run);
      }).pipe(World.inProcess(world, { name: "second" }));
      assert.strictEqual(found.outcome.status, "completed");
      assert.deepStrictEqual(
        payloadsOf(found.events, "model_call_attempt_started").map(({ round, attempt }) => [round, attempt]),
        [
          [1, 1],
          [1, 2],
          [2, 1],
          [3, 1],
        ],
      );
      assert.strictEqual(spent(found.state).tokens, 220);
    }),
  );
});

describe("the request builder", () => {
  it.effect("refuses a conversation in which a call has no result", () =>
    Effect.gen(function* () {
      const payloads = yield* Payloads.make(RunId.make("run_1"));
      const callId = CallId.make("call_1");
      const response = yield* payloads.store(
        "model-responses/inv_root/round-001.json",
        JSON.stringify({
          message: { role: "assistant", parts: [{ type: "toolCall", callId, name: "act", arguments: "{}" }] },
          model: "script",
          finish: "toolCalls",
          warnings: [],
        }),
      );
      const said = yield* payloads.store("input/message.md", "Go on.");
      const made: MessageReference = { kind: "response", payload: response };
      const refusals = yield* Effect.forEach(
        [[made], [made, { kind: "user" as const, about: "guidance" as const, payload: said }]],
        (log) =>
          Effect.flip(
            Transcript.make(payloads, []).messages(
              log.reduce<Log.Log<MessageReference>>((all, one) => Log.append(all, one), Log.empty()),
            ),
          ),
      );
      assert.deepStrictEqual(
        refusals.map(({ reason }) => reason.code),
        ["model.unpaired_tool_call", "model.unpaired_tool_call"],
      );
      assert.include(refusals[0]?.message, '"call_1" has no result');
    }).pipe(World.inProcess(World.make())),
  );
});
