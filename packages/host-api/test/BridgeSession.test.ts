import { assert, describe, it } from "@effect/vitest";
import * as MemoryExtensionTools from "@cahier/testkit/doubles/MemoryExtensionTools";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Redacted from "effect/Redacted";
import * as TestClock from "effect/testing/TestClock";
import * as RawPeer from "./support/RawPeer.ts";

describe("The greeting of the bridge", () => {
  it.effect("welcomes a peer that knows the token and speaks this version", () =>
    Effect.gen(function* () {
      const peer = yield* RawPeer.open(MemoryExtensionTools.make());
      peer.say({ type: "hello", protocol: 1, token: RawPeer.token, name: "a page" });
      assert.deepStrictEqual(yield* peer.heard, { type: "welcome", protocol: 1 });
    }),
  );

  for (const [what, hello, code] of [
    ["another token", { type: "hello", protocol: 1, token: "a token of a tesT" }, 4401],
    ["a longer token", { type: "hello", protocol: 1, token: `${RawPeer.token}${RawPeer.token}` }, 4401],
    ["no token", { type: "hello", protocol: 1, token: "" }, 4401],
    ["another version", { type: "hello", protocol: 2, token: RawPeer.token }, 4400],
  ] as const) {
    it.effect(`closes the connection of a peer with ${what}, without a word of what was wrong`, () =>
      Effect.gen(function* () {
        const peer = yield* RawPeer.open(MemoryExtensionTools.make());
        peer.say(hello);
        assert.strictEqual((yield* peer.heard)["closed"], code);
        yield* Fiber.join(peer.session);
      }),
    );
  }

  it.effect("lets nobody in with an empty token, not even a host that has none", () =>
    Effect.gen(function* () {
      const peer = yield* RawPeer.open(MemoryExtensionTools.make(), { token: Redacted.make("") });
      peer.say({ type: "hello", protocol: 1, token: "" });
      assert.strictEqual((yield* peer.heard)["closed"], 4401);
    }),
  );

  it.effect("does not listen to anything before it", () =>
    Effect.gen(function* () {
      const tools = MemoryExtensionTools.make();
      const peer = yield* RawPeer.open(tools);
      peer.say({ type: "register", requestId: "r", tool: RawPeer.form });
      assert.strictEqual((yield* peer.heard)["code"], "extension.message_invalid");
      assert.strictEqual((yield* peer.heard)["closed"], 1008);
      assert.deepStrictEqual(yield* tools.list, []);
    }),
  );

  it.effect("waits ten seconds for it", () =>
    Effect.gen(function* () {
      const peer = yield* RawPeer.open(MemoryExtensionTools.make());
      yield* TestClock.adjust("10 seconds");
      assert.strictEqual((yield* peer.heard)["closed"], 1008);
      yield* Fiber.join(peer.session);
    }),
  );
});

describe("Tools over the bridge", () => {
  it.effect("are there for as long as the connection, with the switch that the peer sets", () =>
    Effect.gen(function* () {
      const tools = MemoryExtensionTools.make();
      const peer = yield* RawPeer.greeted(tools);
      peer.say({ type: "register", requestId: "r1", tool: { ...RawPeer.form, enabled: false } });
      assert.deepStrictEqual(yield* peer.heard, { type: "registered", requestId: "r1", toolId: RawPeer.toolId });
      assert.deepStrictEqual(
        (yield* tools.list).map(({ enabled }) => enabled),
        [false],
      );
      peer.say({ type: "setEnabled", requestId: "r2", toolId: RawPeer.toolId, enabled: true });
      assert.deepStrictEqual(yield* peer.heard, { type: "done", requestId: "r2" });
      assert.strictEqual((yield* tools.source.catalogue).tools.length, 1);
      peer.pair.cut();
      yield* Fiber.join(peer.session);
      assert.deepStrictEqual(yield* tools.list, []);
    }),
  );

  it.effect("go when the peer takes them back, and may come again", () =>
    Effect.gen(function* () {
      const tools = MemoryExtensionTools.make();
      const peer = yield* RawPeer.withTool(tools);
      peer.say({ type: "unregister", requestId: "u", toolId: RawPeer.toolId });
      assert.deepStrictEqual(yield* peer.heard, { type: "done", requestId: "u" });
      assert.deepStrictEqual(yield* tools.list, []);
      peer.say({ type: "register", requestId: "r2", tool: RawPeer.form });
      assert.strictEqual((yield* peer.heard)["type"], "registered");
    }),
  );

  it.effect("belong to one page: a second one is refused the id, and can neither switch nor take back the tool", () =>
    Effect.gen(function* () {
      const tools = MemoryExtensionTools.make();
      yield* RawPeer.withTool(tools);
      const second = yield* RawPeer.greeted(tools);
      second.say({ type: "register", requestId: "r", tool: RawPeer.form });
      assert.strictEqual((yield* second.heard)["code"], "extension.tool_duplicate");
      second.say({ type: "setEnabled", requestId: "s", toolId: RawPeer.toolId, enabled: false });
      assert.strictEqual((yield* second.heard)["code"], "extension.tool_unavailable");
      second.say({ type: "unregister", requestId: "u", toolId: RawPeer.toolId });
      assert.strictEqual((yield* second.heard)["code"], "extension.tool_unavailable");
      second.pair.cut();
      yield* Fiber.join(second.session);
      assert.strictEqual((yield* tools.source.catalogue).tools.length, 1);
    }),
  );

  for (const [what, tool] of [
    ["an unknown scene", { ...RawPeer.form, contexts: ["sky"] }],
    ["no scene", { ...RawPeer.form, contexts: [] }],
    ["members that there are not", { ...RawPeer.form, secret: true }],
    ["a remote schema", { ...RawPeer.form, inputSchema: { type: "object", $ref: "https://example.com" } }],
    ["nothing", null],
  ] as const) {
    it.effect(`are refused with ${what}, and the page may go on`, () =>
      Effect.gen(function* () {
        const peer = yield* RawPeer.greeted(MemoryExtensionTools.make());
        peer.say({ type: "register", requestId: "r", tool });
        const { requestId, code } = yield* peer.heard;
        assert.deepStrictEqual([requestId, code], ["r", "extension.registration_invalid"]);
        peer.say({ type: "register", requestId: "r2", tool: RawPeer.form });
        assert.strictEqual((yield* peer.heard)["type"], "registered");
      }),
    );
  }

  it.effect("are at most 512 of one connection", () =>
    Effect.gen(function* () {
      const peer = yield* RawPeer.greeted(MemoryExtensionTools.make());
      for (let index = 0; index < 513; index += 1) {
        peer.say({ type: "register", requestId: `r${index}`, tool: { ...RawPeer.form, name: `tool ${index}` } });
      }
      for (let index = 0; index < 512; index += 1) assert.strictEqual((yield* peer.heard)["type"], "registered");
      assert.strictEqual((yield* peer.heard)["code"], "extension.registration_invalid");
    }),
  );
});

describe("A peer that misbehaves", () => {
  for (const [what, message] of [
    ["no JSON", "{"],
    ["no object", "[]"],
    ["an empty text", ""],
    ["an unknown type", { type: "dance" }],
    ["a member that there is not", { type: "pong", secret: 1 }],
    ["a request without an id", { type: "unregister", toolId: "extension/a:b" }],
    ["JSON that is nested too deep", `{"type":"result","requestId":"x","value":${"[".repeat(300)}${"]".repeat(300)}}`],
    ["endless nesting", "[".repeat(1_000_000)],
    ["more than 4 MiB", `{"type":"result","requestId":"x","value":"${"x".repeat(4 * 1024 * 1024)}"}`],
    ["more than 4 MiB in fewer characters", `{"type":"pong","value":"${"語".repeat(1_500_000)}"}`],
  ] as const) {
    it.effect(`is told that ${what} is no message, and stays`, () =>
      Effect.gen(function* () {
        const tools = MemoryExtensionTools.make();
        const peer = yield* RawPeer.withTool(tools);
        peer.say(message);
        const { code, message: sentence } = yield* peer.heard;
        assert.strictEqual(code, "extension.message_invalid");
        assert.isBelow(String(sentence).length, 600);
        assert.strictEqual((yield* tools.list).length, 1);
      }),
    );
  }

  it.effect("is let go when it says more than can be heard", () =>
    Effect.gen(function* () {
      const peer = yield* RawPeer.greeted(MemoryExtensionTools.make());
      for (let index = 0; index < 5; index += 1) peer.say("x".repeat(4 * 1024 * 1024));
      const heard = yield* Effect.repeat(peer.heard, { until: (message) => "closed" in message });
      assert.strictEqual(heard["closed"], 1008);
      yield* Fiber.join(peer.session);
    }),
  );

  it.effect("is let go when it does not read what it is told", () =>
    Effect.gen(function* () {
      const tools = MemoryExtensionTools.make();
      const peer = yield* RawPeer.withTool(tools);
      peer.pair.unread.bytes = 17 * 1024 * 1024;
      peer.say("garbage");
      yield* Fiber.join(peer.session);
      assert.strictEqual(peer.pair.closing.code, 1008);
      assert.deepStrictEqual(yield* tools.list, []);
    }),
  );

  it.effect("has gone when it was asked twice whether it is there, and says nothing", () =>
    Effect.gen(function* () {
      const tools = MemoryExtensionTools.make();
      const peer = yield* RawPeer.withTool(tools);
      for (let round = 0; round < 5; round += 1) {
        yield* TestClock.adjust("30 seconds");
        assert.deepStrictEqual(yield* peer.heard, { type: "ping" });
        peer.say({ type: "pong" });
        yield* Effect.yieldNow;
      }
      yield* TestClock.adjust("30 seconds");
      assert.deepStrictEqual(yield* peer.heard, { type: "ping" });
      yield* TestClock.adjust("60 seconds");
      assert.deepStrictEqual(yield* peer.heard, { type: "ping" });
      assert.strictEqual((yield* peer.heard)["closed"], 1001);
      yield* Fiber.join(peer.session);
      assert.deepStrictEqual(yield* tools.list, []);
    }),
  );

  it.effect("harms no other one", () =>
    Effect.gen(function* () {
      const tools = MemoryExtensionTools.make();
      const good = yield* RawPeer.withTool(tools);
      const bad = yield* RawPeer.greeted(tools);
      const fiber = yield* Effect.forkChild(RawPeer.call(tools));
      const { requestId } = yield* good.heard;
      bad.say({ type: "result", requestId, value: "forged" });
      assert.strictEqual((yield* bad.heard)["code"], "extension.reply_unexpected");
      bad.pair.cut();
      yield* Fiber.join(bad.session);
      good.say({ type: "result", requestId, value: "red" });
      assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "Answered", content: "red" });
    }),
  );
});
