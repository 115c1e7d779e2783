import { assert, describe, it } from "@effect/vitest";
import * as MemoryExtensionTools from "@cahier/testkit/doubles/MemoryExtensionTools";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { WebSocket } from "ws";
import { type BridgeSocket, fromWebSocket } from "../src/extension/BridgeSocket.ts";
import * as ExtensionClient from "../src/extension/ExtensionClient.ts";
import * as Host from "./support/Host.ts";
import * as RawPeer from "./support/RawPeer.ts";
import * as WebSocketHost from "./support/WebSocketHost.ts";

const open = (url: string): Promise<BridgeSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    const bridge = fromWebSocket(socket);
    socket.on("open", () => resolve(bridge));
    socket.on("error", reject);
  });

const soon: NonNullable<ExtensionClient.Options["later"]> = (milliseconds, run) => {
  const timer = setTimeout(run, milliseconds > 30_000 ? milliseconds : 0);
  return () => clearTimeout(timer);
};

const clientOf = (options: Partial<ExtensionClient.Options> & { readonly url: string }) =>
  Effect.acquireRelease(
    Effect.sync(() => ExtensionClient.connect({ token: RawPeer.token, later: soon, ...options })),
    (client) => Effect.sync(client.close),
  );

describe("The bridge over WebSockets", () => {
  for (const [what, options] of [
    ["of the package ws", { open }],
    ["of the platform", {}],
  ] as const) {
    it.live.skipIf(what === "of the platform" && typeof globalThis.WebSocket === "undefined")(
      `carries tools, calls and texts of any kind with the WebSocket ${what}`,
      () =>
        Effect.gen(function* () {
          const tools = MemoryExtensionTools.make();
          const { url } = yield* WebSocketHost.make(tools);
          const client = yield* clientOf({ url, ...options });
          yield* Effect.promise(() => client.register(RawPeer.form, (given) => given["text"]));
          for (const text of ["a text", "语言 👩‍🚀 \u2028", "x".repeat(3_000_000)]) {
            assert.deepStrictEqual(yield* RawPeer.call(tools, { text }), { _tag: "Answered", content: text });
          }
        }),
    );
  }

  it.live("tells that a call is lost when the connection breaks, and finds the tool again after it", () =>
    Effect.gen(function* () {
      const tools = MemoryExtensionTools.make();
      const host = yield* WebSocketHost.make(tools);
      const client = yield* clientOf({ url: host.url, open });
      const begun = Deferred.makeUnsafe<void>();
      yield* Effect.promise(() =>
        client.register(RawPeer.form, (given) => {
          if (given["text"] === "quick") return "quick";
          Deferred.doneUnsafe(begun, Effect.void);
          return new Promise(() => undefined);
        }),
      );
      const fiber = yield* Effect.forkChild(RawPeer.call(tools));
      yield* Deferred.await(begun);
      const again = yield* Effect.forkChild(
        Effect.andThen(Host.reaches(client, "waiting"), Host.reaches(client, "connected")),
        {
          startImmediately: true,
        },
      );
      host.cut();
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Unknown");
      yield* Fiber.join(again);
      yield* Effect.repeat(Effect.andThen(Effect.yieldNow, tools.list), { until: (listed) => listed.length === 1 });
      assert.deepStrictEqual(yield* RawPeer.call(tools, { text: "quick" }), { _tag: "Answered", content: "quick" });
    }),
  );

  it.live("refuses what is no text, and closes the connection of who says more than a message holds", () =>
    Effect.gen(function* () {
      const tools = MemoryExtensionTools.make();
      const host = yield* WebSocketHost.make(tools);
      const socket = new WebSocket(host.url);
      const [told, closed] = [Deferred.makeUnsafe<string>(), Deferred.makeUnsafe<number>()];
      socket.on("open", () => socket.send(new Uint8Array([1, 2, 3])));
      socket.on("message", (data: Buffer) => Deferred.doneUnsafe(told, Effect.succeed(data.toString())));
      socket.on("close", (code) => Deferred.doneUnsafe(closed, Effect.succeed(code)));
      assert.include(yield* Deferred.await(told), "extension.message_invalid");
      assert.strictEqual(yield* Deferred.await(closed), 1008);

      const loud = new WebSocket(host.url);
      const ended = Deferred.makeUnsafe<number>();
      loud.on("open", () => loud.send("x".repeat(5 * 1024 * 1024)));
      loud.on("error", () => undefined);
      loud.on("close", (code) => Deferred.doneUnsafe(ended, Effect.succeed(code)));
      assert.include([1006, 1009], yield* Deferred.await(ended));
      yield* Effect.repeat(Effect.andThen(Effect.yieldNow, Effect.sync(host.served)), {
        until: (count) => count === 0,
      });
    }),
  );
});
