import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import { type OnText, SocketTransport } from "../src/transport/SocketTransport.ts";
import * as UndiciTransport from "../src/transport/UndiciTransport.ts";
import * as servers from "./support/servers.ts";
import * as sockets from "./support/sockets.ts";

const deadlines = { firstByteMs: 5000, idleMs: 5000 };

const open = (url: string, openMs = 5000) =>
  SocketTransport.use((transport) => transport.open({ url: new URL(url), headers: { "x-asked": "yes" }, openMs }));

const reading = (wanted: number) => {
  const texts: Array<string> = [];
  const onText: OnText = (text) => (texts.push(text) >= wanted ? "finished" : "more");
  return { texts, onText };
};

const law = (title: string, body: Effect.Effect<void, unknown, SocketTransport>) =>
  it.live(title, () => body.pipe(Effect.provide(UndiciTransport.layer({ connectMs: 2000 }))));

describe("a socket", () => {
  law(
    "sends its headers with the handshake, and texts both ways, one exchange after the other",
    Effect.scoped(
      Effect.gen(function* () {
        const { peers, url } = yield* sockets.server((peer, text) => {
          peer.send(`${text} one`);
          peer.send(`${text} Grüße 🙂`);
        });
        const socket = yield* open(url);
        for (const text of ["a", "b".repeat(500)]) {
          const read = reading(2);
          yield* socket.exchange(text, read.onText, deadlines);
          assert.deepStrictEqual(read.texts, [`${text} one`, `${text} Grüße 🙂`]);
        }
        assert.strictEqual(peers.length, 1);
        assert.strictEqual(peers[0]?.request.headers["x-asked"], "yes");
        assert.isTrue(socket.isOpen());
      }),
    ),
  );

  law(
    "is closed at once when an exchange is interrupted",
    Effect.scoped(
      Effect.gen(function* () {
        const { promise: asked, resolve } = Promise.withResolvers<void>();
        const { peers, url } = yield* sockets.server(() => resolve());
        const socket = yield* open(url);
        const fiber = yield* Effect.forkChild(socket.exchange("a", reading(1).onText, deadlines), {
          startImmediately: true,
        });
        yield* Effect.promise(() => asked);
        yield* Fiber.interrupt(fiber);
        yield* Effect.promise(() => peers[0]?.closed ?? Promise.resolve());
        assert.isFalse(socket.isOpen());
      }),
    ),
  );

  law(
    "is closed with the scope of its transport",
    Effect.scoped(
      Effect.gen(function* () {
        const { peers, url } = yield* sockets.server(() => undefined);
        yield* open(url).pipe(Effect.provide(UndiciTransport.layer(), { local: true }));
        yield* Effect.promise(() => peers[0]?.closed ?? Promise.resolve());
      }),
    ),
  );

  for (const [what, text, detail] of [
    ["before the first text", "silent", "the server did not answer in time"],
    ["between two texts", "once", "the server stopped within its response"],
  ] as const) {
    law(
      `times out ${what}, and is closed`,
      Effect.scoped(
        Effect.gen(function* () {
          const { peers, url } = yield* sockets.server((peer, asked) => asked === "once" && peer.send("a"));
          const socket = yield* open(url);
          const short = { firstByteMs: text === "once" ? 5000 : 50, idleMs: 50 };
          const fault = yield* Effect.flip(socket.exchange(text, reading(2).onText, short));
          assert.strictEqual(fault.kind, "timeout");
          assert.strictEqual(fault.detail, detail);
          yield* Effect.promise(() => peers[0]?.closed ?? Promise.resolve());
        }),
      ),
    );
  }

  law(
    "reports a server that closes within an exchange, and one that closed between exchanges",
    Effect.scoped(
      Effect.gen(function* () {
        const { peers, url } = yield* sockets.server((peer) => {
          peer.send("a");
          peer.close();
        });
        const socket = yield* open(url);
        const read = reading(2);
        const fault = yield* Effect.flip(socket.exchange("x", read.onText, deadlines));
        assert.strictEqual(fault.kind, "bodyInterrupted");
        assert.deepStrictEqual(read.texts, ["a"]);
        yield* Effect.promise(() => peers[0]?.closed ?? Promise.resolve());
        assert.isFalse(socket.isOpen());
        assert.strictEqual((yield* Effect.flip(socket.exchange("x", read.onText, deadlines))).kind, "request");
      }),
    ),
  );

  law(
    "makes an exception of the reader a defect",
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* sockets.server((peer) => peer.send("a"));
        const socket = yield* open(url);
        const defect = new Error("reader");
        const exit = yield* Effect.exit(
          socket.exchange(
            "x",
            () => {
              throw defect;
            },
            deadlines,
          ),
        );
        assert.deepStrictEqual(exit, Exit.die(defect));
        assert.isFalse(socket.isOpen());
      }),
    ),
  );
});

describe("the handshake of a socket", () => {
  law(
    "that is refused gives the status, the headers and the body",
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* sockets.server(
          () => undefined,
          () => "HTTP/1.1 429 Slow\r\nretry-after: 2\r\ncontent-length: 4\r\n\r\nslow",
        );
        const refusal = yield* Effect.flip(open(url));
        assert.strictEqual(refusal._tag, "SocketRefused");
        if (refusal._tag !== "SocketRefused") return;
        assert.strictEqual(refusal.head.status, 429);
        assert.strictEqual(refusal.head.headers["retry-after"], "2");
        assert.strictEqual(refusal.body, "slow");
      }),
    ),
  );

  law(
    "has a deadline of its own",
    Effect.scoped(
      Effect.gen(function* () {
        const { promise: closed, resolve } = Promise.withResolvers<void>();
        const { port } = yield* servers.socket((stream) => stream.resume().once("close", () => resolve()));
        const fault = yield* Effect.flip(open(`ws://127.0.0.1:${port}/`, 50));
        assert.deepInclude(fault, { _tag: "TransportFault", kind: "timeout" });
        yield* Effect.promise(() => closed);
      }),
    ),
  );

  law(
    "is given up when interrupted",
    Effect.scoped(
      Effect.gen(function* () {
        const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>();
        const { promise: closed, resolve } = Promise.withResolvers<void>();
        const { port } = yield* servers.socket((stream) => {
          stream.once("data", () => onAsked());
          stream.once("close", () => resolve());
        });
        const fiber = yield* Effect.forkChild(open(`ws://127.0.0.1:${port}/`), { startImmediately: true });
        yield* Effect.promise(() => asked);
        yield* Fiber.interrupt(fiber);
        yield* Effect.promise(() => closed);
      }),
    ),
  );

  law(
    "reports that nobody listens",
    Effect.scoped(
      Effect.gen(function* () {
        const port = yield* servers.unusedPort;
        const fault = yield* Effect.flip(open(`ws://127.0.0.1:${port}/`));
        assert.deepInclude(fault, { _tag: "TransportFault", kind: "connect" });
      }),
    ),
  );

  law(
    "reports a server that is no WebSocket server",
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* servers.http((response) => response.end("hello"));
        const refusal = yield* Effect.flip(open(url.replace("http", "ws")));
        assert.strictEqual(refusal._tag === "SocketRefused" && refusal.head.status, 200);
      }),
    ),
  );
});
