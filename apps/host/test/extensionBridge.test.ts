/**
 * The door for extensions: who may come in, what becomes of calls behind it, and that nobody keeps it open.
 */
import { once } from "node:events";
import { connect as connectTo } from "node:net";
import * as ExtensionRegistry from "@cahier/application/extension/ExtensionRegistry";
import { CallId, RunId, rootInvocation } from "@cahier/domain/identity/Identity";
import { ToolId } from "@cahier/domain/tool/ToolId";
import { maxMessageBytes } from "@cahier/host-api/extension/BridgeLimits";
import * as ExtensionClient from "@cahier/host-api/extension/ExtensionClient";
import { ExtensionTools } from "@cahier/ports/ExtensionTools";
import type { SourceCall } from "@cahier/ports/ToolSource";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Redacted from "effect/Redacted";
import * as Scope from "effect/Scope";
import { WebSocket } from "ws";
import * as ExtensionBridge from "../src/extensions/ExtensionBridge.ts";
import { admits, originOf } from "../src/extensions/origins.ts";

const token = "a token of this test";

const bell = ToolId.make("extension/bell:ring");

const form = {
  extensionId: "bell",
  name: "ring",
  description: "Rings the bell.",
  inputSchema: { type: "object" },
  contexts: ["chat" as const],
};

/** A bridge over a registry of its own. */
const opened = Effect.fnUntraced(function* (options: Partial<ExtensionBridge.Options> = {}) {
  const tools = ExtensionRegistry.make();
  const bridge = yield* ExtensionBridge.make({ port: 0, token: Redacted.make(token), ...options }).pipe(
    Effect.provideService(ExtensionTools, tools),
  );
  return { bridge, tools };
});

/** A client that is closed with the scope. */
const client = (url: string) =>
  Effect.acquireRelease(
    Effect.sync(() => ExtensionClient.connect({ url, token })),
    (connected) => Effect.sync(() => connected.close()),
  );

/** A connection that has said hello and nothing else, and what it hears. */
const greeted = Effect.fnUntraced(function* (url: string) {
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => new WebSocket(url)),
    (opening) => Effect.sync(() => opening.terminate()),
  );
  yield* Effect.promise(() => once(socket, "open"));
  const welcomed = Effect.promise(() => once(socket, "message"));
  socket.send(JSON.stringify({ type: "hello", protocol: 1, token }));
  assert.include(String(yield* welcomed), '"welcome"');
  return socket;
});

/** What a handshake comes to: `open`, or the status that refuses it. */
const handshake = (url: string, origin?: string) =>
  Effect.callback<"open" | number>((resume) => {
    const socket = new WebSocket(url, origin === undefined ? {} : { origin });
    socket.on("error", () => undefined);
    socket.on("open", () => {
      resume(Effect.succeed("open"));
      socket.terminate();
    });
    socket.on("unexpected-response", (request, { statusCode = 0 }) => {
      resume(Effect.succeed(statusCode));
      request.destroy();
    });
  });

const call: SourceCall = {
  toolId: bell,
  arguments: {},
  runId: RunId.make("run_test"),
  invocationId: rootInvocation,
  callId: CallId.make("a call"),
  key: "run_test:1",
  scene: "chat",
  timeoutMs: 20_000,
  ask: () => Effect.succeed({ action: "cancel" }),
  sample: () => Effect.fail({ code: "tool.denied", message: "A test asks no model." }),
};

describe("who may connect to the bridge", () => {
  it("a program that is no page, and pages of this machine; a hidden page and all others may not", () => {
    for (const origin of [undefined, "http://localhost:8000", "https://127.0.0.1", "http://localhost"])
      assert.isTrue(admits(origin, []), origin);
    for (const origin of [
      "null",
      "",
      "https://example.com",
      "http://localhost.example.com",
      "http://localhost@example.com",
      "http://127.0.0.1.example.com:8000",
      "http://127.0.0.2",
      "file://localhost",
      "chrome-extension://abcdef",
      "http://localhost:8000/path",
    ])
      assert.isFalse(admits(origin, []), origin);
  });

  it("of pages only those that are named, where some are", () => {
    const named = ["https://chat.example.com", "chrome-extension://abcdef"];
    assert.isTrue(admits("https://chat.example.com", named));
    assert.isTrue(admits("chrome-extension://abcdef", named));
    assert.isTrue(admits(undefined, named));
    assert.isFalse(admits("http://localhost:8000", named));
    assert.isFalse(admits("null", named));
  });

  it("an origin is named as a browser sends it; null, a path and a word are none", () => {
    assert.strictEqual(originOf("https://Chat.example.com:8443/"), "https://chat.example.com:8443");
    assert.strictEqual(originOf("http://[::1]:8000"), "http://[::1]:8000");
    for (const stated of [
      "null",
      "*",
      "chat.example.com",
      "https://chat.example.com/path",
      "https://user@chat.example",
    ])
      assert.isUndefined(originOf(stated), stated);
  });

  it.effect("is decided before a connection is open, by its page and by its path", () =>
    Effect.gen(function* () {
      const { bridge } = yield* opened();
      assert.strictEqual(yield* handshake(bridge.url), "open");
      assert.strictEqual(yield* handshake(`${bridge.url}?from=here`, "http://localhost:8000"), "open");
      assert.strictEqual(yield* handshake(bridge.url, "https://example.com"), 403);
      assert.strictEqual(yield* handshake(bridge.url, "null"), 403);
      assert.strictEqual(yield* handshake(bridge.url.replace("/extensions", "/")), 404);
      const plain = yield* Effect.promise(() => fetch(bridge.url.replace("ws:", "http:")));
      assert.strictEqual(plain.status, 426);
      const named = yield* opened({ origins: ["https://chat.example.com"] });
      assert.strictEqual(yield* handshake(named.bridge.url, "https://chat.example.com"), "open");
      assert.strictEqual(yield* handshake(named.bridge.url, "http://localhost:8000"), 403);
    }),
  );

  it.effect("sixteen at once, and another one when one has gone", () =>
    Effect.gen(function* () {
      const { bridge } = yield* opened();
      const [first] = yield* Effect.forEach(Array.from({ length: 16 }), () => greeted(bridge.url));
      assert.strictEqual(yield* handshake(bridge.url), 503);
      const gone = Effect.promise(() => once(first ?? assert.fail("no connection"), "close"));
      first?.close();
      yield* gone;
      assert.strictEqual(yield* handshake(bridge.url), "open");
    }),
  );

  it.effect("nobody with another token", () =>
    Effect.gen(function* () {
      const { bridge, tools } = yield* opened({ token: Redacted.make("another token of this test") });
      const refused = yield* client(bridge.url);
      const code = yield* Effect.promise(() =>
        refused
          .register(form, () => null)
          .then(
            () => "registered",
            (error: ExtensionClient.ExtensionClientError) => error.code,
          ),
      );
      assert.strictEqual(code, "refused");
      assert.deepStrictEqual(yield* tools.list, []);
    }),
  );

  it.effect("nobody, where the port is another program's", () =>
    Effect.gen(function* () {
      const { bridge } = yield* opened();
      const fault = yield* Effect.flip(opened({ port: Number(new URL(bridge.url).port) }));
      assert.strictEqual(fault.reason, "EADDRINUSE");
    }),
  );
});

describe("a tool that is registered over the bridge", () => {
  it.effect("is waited for until it is there and switched on", () =>
    Effect.gen(function* () {
      const { bridge } = yield* opened();
      const waiting = yield* Effect.forkChild(bridge.awaitTools([bell], "1 hour"));
      const connected = yield* client(bridge.url);
      const registered = yield* Effect.promise(() => connected.register({ ...form, enabled: false }, () => null));
      yield* Effect.promise(() => connected.register({ ...form, name: "toll" }, () => null));
      assert.isUndefined(waiting.pollUnsafe());
      yield* Effect.promise(() => registered.setEnabled(true));
      assert.deepStrictEqual(yield* Fiber.join(waiting), []);
    }),
  );

  it.live("is missing when its time is over", () =>
    Effect.gen(function* () {
      const { bridge } = yield* opened();
      const connected = yield* client(bridge.url);
      yield* Effect.promise(() => connected.register(form, () => null));
      const toll = ToolId.make("extension/bell:toll");
      assert.deepStrictEqual(yield* bridge.awaitTools([bell, toll], "20 millis"), [toll]);
    }),
  );

  it.live("leaves a call unknown that it never acknowledges", () =>
    Effect.gen(function* () {
      const { bridge, tools } = yield* opened({ acknowledgeWithin: "20 millis" });
      const socket = yield* greeted(bridge.url);
      const registered = Effect.promise(() => once(socket, "message"));
      socket.send(JSON.stringify({ type: "register", requestId: "1", tool: form }));
      yield* registered;
      const outcome = yield* tools.source.call(call);
      assert.deepStrictEqual(outcome, {
        _tag: "Unknown",
        code: "extension.tool_error",
        message: "The extension did not say that it has the call.",
      });
    }),
  );

  it.effect("is not harmed by a neighbour that says too much, no text or no message", () =>
    Effect.gen(function* () {
      const { bridge, tools } = yield* opened();
      const connected = yield* client(bridge.url);
      yield* Effect.promise(() => connected.register(form, ({ text }) => ({ said: text })));
      const large = yield* greeted(bridge.url);
      const closed = Effect.promise(() => once(large, "close"));
      large.send("a".repeat(maxMessageBytes + 1));
      assert.strictEqual((yield* closed)[0], 1009);
      const odd = yield* greeted(bridge.url);
      for (const said of [Buffer.from([0, 1, 2]), "no JSON", '{"type":"result","requestId":"call-1","value":1}']) {
        const answered = Effect.promise(() => once(odd, "message"));
        odd.send(said);
        assert.match(String(yield* answered), /"refused".*"extension\.(?:message_invalid|reply_unexpected)"/);
      }
      const outcome = yield* tools.source.call({ ...call, arguments: { text: "hello" } });
      assert.strictEqual(outcome._tag === "Answered" ? outcome.content : outcome._tag, '{"said":"hello"}');
    }),
  );

  it.effect("answers calls until the bridge ends, which loses what is not answered and tells the client", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make();
      const { bridge, tools } = yield* Scope.provide(opened(), scope);
      const socket = yield* greeted(bridge.url);
      const registered = Effect.promise(() => once(socket, "message"));
      socket.send(JSON.stringify({ type: "register", requestId: "1", tool: form }));
      yield* registered;
      const called = Effect.promise(() => once(socket, "message"));
      const outcome = yield* Effect.forkChild(tools.source.call(call));
      yield* called;
      const closed = Effect.promise(() => once(socket, "close"));
      yield* Scope.close(scope, Exit.void);
      assert.strictEqual((yield* closed)[0], 1001);
      assert.strictEqual((yield* Fiber.join(outcome))._tag, "Unknown");
      assert.deepStrictEqual(yield* tools.list, []);
      assert.strictEqual((yield* tools.source.call(call))._tag, "NotSent");
    }),
  );

  it.live("keeps no bridge from ending whose client does not agree to part, or has never begun", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make();
      const { bridge } = yield* Scope.provide(opened(), scope);
      const { pathname, port } = new URL(bridge.url);
      const deaf = connectTo(Number(port), "127.0.0.1");
      const silent = connectTo(Number(port), "127.0.0.1");
      yield* Effect.addFinalizer(() => Effect.sync(() => [deaf, silent].forEach((socket) => socket.destroy())));
      const headers = ["Host: localhost", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"];
      const key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==";
      const taken = Effect.promise(() => once(deaf, "data"));
      deaf.write([`GET ${pathname} HTTP/1.1`, ...headers, key, "", ""].join("\r\n"));
      yield* taken;
      for (const socket of [deaf, silent]) socket.on("error", () => undefined);
      yield* Scope.close(scope, Exit.void);
      assert.strictEqual(
        yield* Effect.flip(Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}`))).pipe(Effect.as("closed")),
        "closed",
      );
    }),
  );
});
