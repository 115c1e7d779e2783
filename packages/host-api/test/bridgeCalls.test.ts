import { assert, describe, it } from "@effect/vitest";
import * as MemoryExtensionTools from "@cahier/testkit/doubles/MemoryExtensionTools";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { maxCalls } from "../src/extension/BridgeLimits.ts";
import * as RawPeer from "./support/RawPeer.ts";

/** A call that has reached a peer. */
const begun = Effect.gen(function* () {
  const tools = MemoryExtensionTools.make();
  const peer = yield* RawPeer.withTool(tools);
  const fiber = yield* Effect.forkChild(RawPeer.call(tools, { text: "a" }));
  const call = yield* peer.heard;
  return { tools, peer, fiber, call, requestId: call["requestId"] };
});

describe("A call over the bridge", () => {
  it.effect("names the tool, its arguments and for which call of which run it is", () =>
    Effect.gen(function* () {
      const { call } = yield* begun;
      const { requestId: _, ...rest } = call;
      assert.deepStrictEqual(rest, {
        type: "call",
        toolId: RawPeer.toolId,
        arguments: { text: "a" },
        context: { runId: "run_test", invocationId: "inv_root", callId: "call of a model", target: "chat" },
      });
    }),
  );

  it.effect("is answered with what the peer gives, whenever it was acknowledged", () =>
    Effect.gen(function* () {
      const { peer, fiber, requestId } = yield* begun;
      peer.say({ type: "acknowledge", requestId });
      yield* TestClock.adjust("10 seconds");
      peer.say({ type: "result", requestId, value: { colours: ["red"] } });
      assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "Answered", content: '{"colours":["red"]}' });
    }),
  );

  it.effect("is answered with an error that keeps what the peer says", () =>
    Effect.gen(function* () {
      const { peer, fiber, requestId } = yield* begun;
      peer.say({ type: "error", requestId, message: "no ink" });
      assert.deepStrictEqual(yield* Fiber.join(fiber), {
        _tag: "Answered",
        content: "no ink",
        errorCode: "extension.tool_error",
      });
    }),
  );

  it.effect("that is never acknowledged is unknown after 60 seconds, and the peer is told that nobody waits", () =>
    Effect.gen(function* () {
      const { peer, fiber, requestId } = yield* begun;
      yield* TestClock.adjust("60 seconds");
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Unknown");
      const told = [yield* peer.heard, yield* peer.heard, yield* peer.heard];
      assert.deepStrictEqual(
        told.filter(({ type }) => type === "cancel"),
        [{ type: "cancel", requestId }],
      );
    }),
  );

  it.effect("that was acknowledged may take longer than that", () =>
    Effect.gen(function* () {
      const { peer, fiber, requestId } = yield* begun;
      peer.say({ type: "acknowledge", requestId });
      for (let minute = 0; minute < 10; minute += 1) {
        yield* TestClock.adjust("30 seconds");
        yield* peer.heard;
        peer.say({ type: "pong" });
        yield* Effect.yieldNow;
      }
      peer.say({ type: "result", requestId, value: "late" });
      assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "Answered", content: "late" });
    }),
  );

  it.effect("is answered once: a second answer is refused and changes nothing", () =>
    Effect.gen(function* () {
      const { peer, fiber, requestId } = yield* begun;
      peer.say({ type: "result", requestId, value: "first" });
      peer.say({ type: "result", requestId, value: "second" });
      assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "Answered", content: "first" });
      const { requestId: refused, code } = yield* peer.heard;
      assert.deepStrictEqual([refused, code], [requestId, "extension.reply_unexpected"]);
    }),
  );

  for (const [what, message] of [
    ["an answer", { type: "result", requestId: "call-9", value: 1 }],
    ["an error", { type: "error", requestId: "call-9", message: "no" }],
    ["an acknowledgement", { type: "acknowledge", requestId: "call-9" }],
  ] as const) {
    it.effect(`that was never made is refused ${what}`, () =>
      Effect.gen(function* () {
        const { peer } = yield* begun;
        peer.say(message);
        assert.strictEqual((yield* peer.heard)["code"], "extension.reply_unexpected");
      }),
    );
  }

  it.effect("is acknowledged once", () =>
    Effect.gen(function* () {
      const { peer, requestId } = yield* begun;
      peer.say({ type: "acknowledge", requestId });
      peer.say({ type: "acknowledge", requestId });
      assert.strictEqual((yield* peer.heard)["code"], "extension.reply_unexpected");
    }),
  );

  it.effect("that is answered with garbage is an error of the tool, and the peer is told", () =>
    Effect.gen(function* () {
      const { peer, fiber, requestId } = yield* begun;
      peer.say({ type: "result", requestId });
      const outcome = yield* Fiber.join(fiber);
      assert.strictEqual(outcome._tag === "Answered" ? outcome.errorCode : outcome._tag, "extension.tool_error");
      assert.strictEqual((yield* peer.heard)["code"], "extension.message_invalid");
    }),
  );

  it.effect("that is interrupted is cancelled at the peer, whose answer is then refused", () =>
    Effect.gen(function* () {
      const { peer, fiber, requestId } = yield* begun;
      peer.say({ type: "acknowledge", requestId });
      yield* Fiber.interrupt(fiber);
      assert.deepStrictEqual(yield* peer.heard, { type: "cancel", requestId });
      peer.say({ type: "result", requestId, value: "late" });
      assert.strictEqual((yield* peer.heard)["code"], "extension.reply_unexpected");
    }),
  );

  for (const isAcknowledged of [true, false]) {
    it.effect(`is lost when the peer vanishes${isAcknowledged ? " after" : " before"} it has acknowledged it`, () =>
      Effect.gen(function* () {
        const { tools, peer, fiber, requestId } = yield* begun;
        if (isAcknowledged) peer.say({ type: "acknowledge", requestId });
        peer.pair.cut();
        assert.strictEqual((yield* Fiber.join(fiber))._tag, "Unknown");
        yield* Fiber.join(peer.session);
        const next = yield* RawPeer.call(tools);
        assert.strictEqual(next._tag === "NotSent" ? next.code : next._tag, "extension.tool_unavailable");
      }),
    );
  }

  it.effect("counts what the peer said before it vanished", () =>
    Effect.gen(function* () {
      const { peer, fiber, requestId } = yield* begun;
      peer.say({ type: "result", requestId, value: "just in time" });
      peer.pair.cut();
      assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "Answered", content: "just in time" });
    }),
  );

  it.effect("is lost when the host ends the connection", () =>
    Effect.gen(function* () {
      const { peer, fiber } = yield* begun;
      yield* Fiber.interrupt(peer.session);
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Unknown");
      assert.strictEqual(peer.pair.closing.code, 1001);
    }),
  );

  it.effect("is not sent when its arguments are larger than a message", () =>
    Effect.gen(function* () {
      const { tools } = yield* begun;
      const outcome = yield* RawPeer.call(tools, { text: "x".repeat(4 * 1024 * 1024) });
      assert.strictEqual(outcome._tag, "NotSent");
    }),
  );

  it.effect("is not sent to a peer that does not read", () =>
    Effect.gen(function* () {
      const { tools, peer } = yield* begun;
      peer.pair.unread.bytes = 17 * 1024 * 1024;
      assert.strictEqual((yield* RawPeer.call(tools))._tag, "NotSent");
    }),
  );

  it.effect("is not sent while as many as there may be wait for their answer", () =>
    Effect.gen(function* () {
      const tools = MemoryExtensionTools.make();
      const peer = yield* RawPeer.withTool(tools);
      const fibers = yield* Effect.forEach(Array.from({ length: maxCalls }), () =>
        Effect.forkChild(RawPeer.call(tools)),
      );
      const asked = yield* Effect.forEach(fibers, () => peer.heard);
      assert.strictEqual((yield* RawPeer.call(tools))._tag, "NotSent");
      for (const { requestId } of asked.toReversed()) peer.say({ type: "result", requestId, value: requestId });
      const outcomes = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber));
      assert.deepStrictEqual(
        outcomes,
        asked.map(({ requestId }) => ({ _tag: "Answered" as const, content: String(requestId) })),
      );
    }),
  );
});
