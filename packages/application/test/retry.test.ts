import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { ended, payloadsOf, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";

/** Plays a script whose failed attempts are followed by waits of these lengths, in milliseconds. */
const playWaiting = Effect.fnUntraced(function* (
  turns: ReadonlyArray<World.Turn>,
  waits: ReadonlyArray<number>,
  options: { readonly profile?: { readonly document: unknown } } = {},
) {
  const world = World.make();
  return yield* Effect.gen(function* () {
    const run = yield* start(turns, options);
    const played = yield* Effect.forkChild(ended(world, run));
    for (const [index, wait] of waits.entries()) {
      yield* reached(world, run.runId, "model_call_retry_scheduled", index + 1);
      yield* TestClock.adjust(wait - 1);
      const before = yield* attempts(world, run.runId);
      assert.strictEqual(before, index + 1, `attempt ${index + 2} waits ${wait} ms`);
      yield* TestClock.adjust(1);
    }
    return yield* Fiber.join(played);
  }).pipe(World.inProcess(world));
});

const attempts = (world: World.World, runId: Parameters<typeof reached>[1]) =>
  Effect.sync(
    () => world.journals.journals.get(runId)?.events.filter(({ type }) => type === "model_call_attempt_started").length,
  );

const refused = (status: number, retryAfter?: number): World.Turn => ({
  error: { status, ...(retryAfter === undefined ? {} : { retryAfter }) },
});

describe("a failed model call", () => {
  it.effect("is repeated after the interval of the profile, and the run goes on", () =>
    Effect.gen(function* () {
      const { events, outcome, texts, types } = yield* playWaiting([refused(503), ...World.publishing], [3000]);
      assert.strictEqual(outcome.status, "completed");
      assert.strictEqual(texts[2], "They wait by the river.");
      const [failed] = payloadsOf(events, "model_call_attempt_failed");
      assert.deepStrictEqual(
        [failed?.code, failed?.retryable, failed?.willRetry, failed?.attempt],
        ["agent.transient", true, true, 1],
      );
      assert.strictEqual(types.filter((type) => type === "model_request_created").length, 3);
    }),
  );

  it.effect("waits as long as the server asks when that is longer", () =>
    Effect.gen(function* () {
      const { events, outcome } = yield* playWaiting([refused(429, 7), ...World.publishing], [7000]);
      assert.strictEqual(outcome.status, "completed");
      assert.strictEqual(payloadsOf(events, "model_call_attempt_failed")[0]?.code, "model.provider_rate_limited");
      assert.strictEqual(payloadsOf(events, "model_call_retry_scheduled")[0]?.intervalMs, 7000);
    }),
  );

  it.effect("waits its own interval when the server asks for less", () =>
    Effect.gen(function* () {
      const { outcome } = yield* playWaiting([refused(429, 1), ...World.publishing], [3000]);
      assert.strictEqual(outcome.status, "completed");
    }),
  );

  it.effect("that keeps failing fails the run after the last retry, and says that trying again is worth it", () =>
    Effect.gen(function* () {
      const { events, outcome } = yield* playWaiting(
        [refused(503), refused(500), refused(502), refused(504), ...World.publishing],
        [3000, 3000, 3000],
      );
      assert.strictEqual(outcome.status, "failed");
      assert.strictEqual(outcome.error?.code, "agent.transient");
      assert.strictEqual(payloadsOf(events, "model_call_attempt_failed").at(-1)?.willRetry, false);
      assert.deepStrictEqual(
        events.filter(({ type }) => type === "model_call_attempt_failed").map(({ level }) => level),
        ["warn", "warn", "warn", "error"],
      );
      assert.deepStrictEqual(
        payloadsOf(events, "model_call_attempt_started").map(({ attempt, maxRetries }) => [attempt, maxRetries]),
        [1, 2, 3, 4].map((attempt) => [attempt, 3]),
      );
      const [end] = payloadsOf(events, "run_failed");
      assert.deepStrictEqual([end?.retryable, end?.userRetryable], [true, true]);
    }),
  );

  it.effect("has its retries for each request anew", () =>
    Effect.gen(function* () {
      const document = {
        kind: "cahier.agentProfile",
        schemaVersion: 1,
        id: "impatient",
        displayName: "Impatient",
        run: { modelRetry: { maxRetries: 1, intervalMs: 10 } },
        tools: {
          allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
          maxRounds: 10,
        },
      };
      const world = World.make();
      const { outcome } = yield* Effect.gen(function* () {
        const [write, commit, finish] = World.publishing;
        assert.isTrue(write !== undefined && commit !== undefined && finish !== undefined);
        const run = yield* start([refused(500), write ?? {}, refused(500), commit ?? {}, refused(500), finish ?? {}], {
          profile: { document },
        });
        for (const count of [1, 2, 3]) {
          yield* reached(world, run.runId, "model_call_retry_scheduled", count);
          yield* TestClock.adjust(10);
        }
        return yield* ended(world, run);
      }).pipe(World.inProcess(world));
      assert.strictEqual(outcome.status, "completed");
    }),
  );

  it.effect.each([
    [401, "agent.unauthorized"],
    [403, "agent.unauthorized"],
    [400, "agent.validation_error"],
  ] as const)("with status %i is not repeated: %s", ([status, code]) =>
    Effect.gen(function* () {
      const { events, outcome, texts } = yield* playWaiting([refused(status), ...World.publishing], []);
      assert.strictEqual(outcome.status, "failed");
      assert.strictEqual(outcome.error?.code, code);
      assert.strictEqual(payloadsOf(events, "model_call_attempt_started").length, 1);
      assert.strictEqual(payloadsOf(events, "run_failed")[0]?.userRetryable, false);
      assert.deepStrictEqual(texts, World.beginning);
    }),
  );

  it.effect("whose answer broke off keeps what had arrived in the record, and is repeated", () =>
    Effect.gen(function* () {
      const { events, outcome } = yield* playWaiting(
        [{ text: "They wait by the river.", error: { cutAfterChars: 9 } }, ...World.publishing],
        [3000],
      );
      assert.strictEqual(outcome.status, "completed");
      const [failed] = payloadsOf(events, "model_call_attempt_failed");
      assert.strictEqual(failed?.code, "network.body_interrupted");
      assert.strictEqual(failed?.partialText, "They wait");
    }),
  );

  it.effect("whose long answer broke off keeps 8 KiB of it, whole characters and a mark where it was cut", () =>
    Effect.gen(function* () {
      const text = "wörter ".repeat(3000);
      const { events } = yield* playWaiting([{ text, error: { cutAfterChars: 20_000 } }, ...World.publishing], [3000]);
      const partial = payloadsOf(events, "model_call_attempt_failed")[0]?.partialText ?? "";
      const bytes = new TextEncoder().encode(partial).length;
      assert.isTrue(bytes <= 8192 && bytes > 8100, `${bytes}`);
      assert.match(partial, / \[cut\]$/);
      assert.isTrue(text.startsWith(partial.slice(0, -" [cut]".length)));
    }),
  );

  it.effect("a script that ends before the run does fails it and says at which position", () =>
    Effect.gen(function* () {
      const { outcome } = yield* playWaiting(World.publishing.slice(0, 2), []);
      assert.strictEqual(outcome.status, "partial_success");
      assert.strictEqual(outcome.error?.code, "model.script_exhausted");
      assert.include(outcome.error?.message, "position 2");
    }),
  );

  it.effect("a script of a wrong shape fails the run before the chat is touched", () =>
    Effect.gen(function* () {
      const { outcome, texts } = yield* playWaiting([{ error: {} }], []);
      assert.strictEqual(outcome.error?.code, "model.script_invalid");
      assert.deepStrictEqual(texts, World.beginning);
    }),
  );
});
