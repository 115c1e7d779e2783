import * as Message from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import * as ScriptedModel from "../src/protocols/scripted/ScriptedModel.ts";
import * as gateways from "./support/gateways.ts";
import { collector, request } from "./support/requests.ts";

const play = (script: unknown, changes: Partial<ModelRequest> = {}) => {
  const seen = collector();
  const asked = request({
    ...changes,
    binding: {
      source: "scripted",
      format: "scripted",
      modelId: "script",
      ...(script === undefined ? {} : { script: typeof script === "string" ? script : JSON.stringify(script) }),
    },
  });
  const call = ModelGateway.use((gateway) => gateway.generate(asked, seen.onDelta));
  return { seen, call: Effect.provide(call, gateways.scripted) };
};

const turns = (...list: ReadonlyArray<unknown>) => ({ format: "cahier.script/1", turns: list });

describe("a scripted model", () => {
  it.effect("plays the turn of the request's position, again when asked again", () =>
    Effect.gen(function* () {
      const script = turns({ text: "first" }, { text: "second" });
      for (const position of [1, 0, 1]) {
        const response = yield* play(script, { position }).call;
        assert.strictEqual(Message.textOf(response.message), position === 0 ? "first" : "second");
      }
    }),
  );

  it.effect("says that no model was called, and gives usage only where the script has it", () =>
    Effect.gen(function* () {
      const usage = { inputTokens: 3, outputTokens: 1 };
      const script = turns({ text: "a", usage }, { text: "b" });
      const first = yield* play(script).call;
      assert.deepStrictEqual(first.warnings, [ScriptedModel.warning]);
      assert.deepStrictEqual(first.usage, usage);
      assert.notProperty(yield* play(script, { position: 1 }).call, "usage");
    }),
  );

  it.effect("gives text in several deltas when streaming, in one otherwise; both are the text", () =>
    Effect.gen(function* () {
      const text = "Grüße 🙂, a longer sentence that takes several deltas.";
      const streamed = play(turns({ text, reasoning: "hm!" }));
      const response = yield* streamed.call;
      assert.strictEqual(Message.textOf(response.message), text);
      assert.strictEqual(streamed.seen.joined("text"), text);
      assert.strictEqual(streamed.seen.joined("reasoning"), "hm!");
      assert.isAbove(streamed.seen.deltas.filter((delta) => delta.type === "text").length, 1);
      const whole = play(turns({ text }), { stream: false });
      yield* whole.call;
      assert.deepStrictEqual(whole.seen.deltas, [{ type: "text", text }]);
    }),
  );

  it.effect("names calls without an id by position and place, and sends raw arguments as they stand", () =>
    Effect.gen(function* () {
      const toolCalls = [
        { name: "read", arguments: { path: "a.md" } },
        { name: "write", rawArguments: '{"path": ' },
        { id: "own", name: "finish" },
      ];
      const played = play(turns({}, { toolCalls }), { position: 1 });
      const response = yield* played.call;
      assert.strictEqual(response.finish, "toolCalls");
      assert.deepStrictEqual(
        Message.toolCallsOf(response.message).map((part) => [part.callId as string, part.name, part.arguments]),
        [
          ["call_1_0", "read", '{"path":"a.md"}'],
          ["call_1_1", "write", '{"path": '],
          ["own", "finish", "{}"],
        ],
      );
      assert.strictEqual(played.seen.argumentsOf(1), '{"path": ');
    }),
  );

  it.effect("without an id for a call is the fault of a server that sends none", () =>
    Effect.gen(function* () {
      const fault = yield* Effect.flip(play(turns({ text: "t", toolCalls: [{ id: null, name: "read" }] })).call);
      assert.strictEqual(fault.reason._tag, "InvalidToolCall");
      assert.strictEqual(fault.partial === undefined ? "" : Message.textOf(fault.partial.message), "t");
    }),
  );

  it.effect("gives the root its own turns and each invocation of a profile the turns of its ordinal", () =>
    Effect.gen(function* () {
      const script = {
        ...turns({ text: "root" }),
        agents: { critic: [{ turns: [{ text: "one" }] }, { turns: [{ text: "two" }] }] },
      };
      const textFor = (agent: ModelRequest["agent"]) =>
        Effect.map(play(script, { agent }).call, ({ message }) => Message.textOf(message));
      assert.strictEqual(yield* textFor({ profileId: "critic", ordinal: 0, root: true }), "root");
      assert.strictEqual(yield* textFor({ profileId: "critic", ordinal: 0, root: false }), "one");
      assert.strictEqual(yield* textFor({ profileId: "critic", ordinal: 1, root: false }), "two");
      for (const agent of [
        { profileId: "critic", ordinal: 2, root: false },
        { profileId: "other", ordinal: 0, root: false },
      ]) {
        const fault = yield* Effect.flip(play(script, { agent }).call);
        assert.deepStrictEqual(fault.reason, { _tag: "ScriptExhausted", position: 0 });
      }
    }),
  );

  it.effect("asked past its last turn says so with the position", () =>
    Effect.gen(function* () {
      const fault = yield* Effect.flip(play(turns({}, {}), { position: 2 }).call);
      assert.deepStrictEqual(fault.reason, { _tag: "ScriptExhausted", position: 2 });
      assert.include(fault.detail, "turn 2");
    }),
  );

  it.effect("fails with the status of an error turn as a server would", () =>
    Effect.gen(function* () {
      const reasonOf = (error: unknown) => Effect.map(Effect.flip(play(turns({ error })).call), (fault) => fault);
      const limited = yield* reasonOf({ status: 429, retryAfter: 1.5, body: "slow down" });
      assert.deepStrictEqual(limited.reason, { _tag: "RateLimited", status: 429, retryAfterMs: 1500 });
      assert.strictEqual(limited.detail, "slow down");
      const overloaded = yield* reasonOf({ status: 529, body: { error: { type: "overloaded" } } });
      assert.deepStrictEqual(overloaded.reason, { _tag: "Transient", status: 529 });
      assert.strictEqual(overloaded.detail, '{"error":{"type":"overloaded"}}');
      assert.strictEqual((yield* reasonOf({ status: 401 })).reason._tag, "Unauthorized");
      assert.strictEqual((yield* reasonOf({ status: 400 })).reason._tag, "Rejected");
    }),
  );

  it.effect("cut after some characters keeps them as partial: of text, then of arguments", () =>
    Effect.gen(function* () {
      const turn = { text: "a🙂c", toolCalls: [{ name: "x", rawArguments: "0123" }, { name: "y" }] };
      const cut = (cutAfterChars: number) => {
        const played = play(turns({ ...turn, error: { cutAfterChars } }));
        return Effect.map(Effect.flip(played.call), (fault) => ({ fault, seen: played.seen }));
      };
      const inText = yield* cut(2);
      assert.deepStrictEqual(inText.fault.reason, { _tag: "Network", kind: "bodyInterrupted" });
      assert.deepStrictEqual(inText.fault.partial?.message.parts, [{ type: "text", text: "a🙂" }]);
      assert.strictEqual(inText.seen.joined("text"), "a🙂");
      const inCall = yield* cut(5);
      assert.deepStrictEqual(
        inCall.fault.partial?.message.parts.map((part) => (part.type === "toolCall" ? part.arguments : part.type)),
        ["text", "01"],
      );
      assert.isFalse(inCall.seen.deltas.some((delta) => delta.type === "toolCallEnd"));
      const atEnd = yield* cut(100);
      assert.strictEqual(atEnd.fault.partial?.message.parts.length, 3);
    }),
  );

  it.effect("waits by the clock for the delay of a turn", () =>
    Effect.gen(function* () {
      const played = play(turns({ text: "late", delayMs: 1000 }));
      const fiber = yield* Effect.forkChild(played.call, { startImmediately: true });
      yield* TestClock.adjust(999);
      assert.deepStrictEqual(played.seen.deltas, []);
      yield* TestClock.adjust(1);
      assert.strictEqual(Message.textOf((yield* Fiber.join(fiber)).message), "late");
    }),
  );

  it.effect("that hangs gives its text, never ends, and can be interrupted", () =>
    Effect.gen(function* () {
      const played = play(turns({ text: "some", error: { hang: true } }));
      const fiber = yield* Effect.forkChild(played.call, { startImmediately: true });
      yield* TestClock.adjust("1 hour");
      assert.isUndefined(fiber.pollUnsafe());
      assert.strictEqual(played.seen.joined("text"), "some");
      yield* Fiber.interrupt(fiber);
    }),
  );

  it.effect("without a script, or with one that cannot be read, is not configured and says why", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(play(undefined).call);
      assert.deepStrictEqual(missing.reason, { _tag: "NotConfigured", what: "script" });
      const broken = yield* Effect.flip(play(turns({ txt: "a" })).call);
      assert.deepStrictEqual(broken.reason, { _tag: "NotConfigured", what: "script" });
      assert.include(broken.detail, "turns[0].txt");
    }),
  );
});
