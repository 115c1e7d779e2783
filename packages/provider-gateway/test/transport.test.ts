import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as HttpClientTransport from "../src/transport/HttpClientTransport.ts";
import { type Demand, Transport, type TransportRequest } from "../src/transport/Transport.ts";
import * as UndiciTransport from "../src/transport/UndiciTransport.ts";
import * as servers from "./support/servers.ts";

const transports: ReadonlyArray<readonly [string, Layer.Layer<Transport>]> = [
  ["UndiciTransport", UndiciTransport.layer({ connectMs: 2000 })],
  ["HttpClientTransport", HttpClientTransport.layer.pipe(Layer.provide(FetchHttpClient.layer))],
];

const outgoing = (url: string, changes: Partial<TransportRequest> = {}): TransportRequest => ({
  method: "POST",
  url: new URL(url),
  headers: { "content-type": "application/json", "x-own": "1" },
  body: new TextEncoder().encode('{"ü":1}'),
  firstByteMs: 5000,
  idleMs: 5000,
  ...changes,
});

const reading = (demand: (text: string) => Demand = () => "more") => {
  const decoder = new TextDecoder();
  const seen = { status: 0, headers: {} as Readonly<Record<string, string>>, text: "", calls: 0 };
  return {
    seen,
    reader: {
      head: (head: { readonly status: number; readonly headers: Readonly<Record<string, string>> }) => {
        seen.status = head.status;
        seen.headers = head.headers;
      },
      chunk: (bytes: Uint8Array): Demand => {
        seen.calls += 1;
        seen.text += decoder.decode(bytes, { stream: true });
        return demand(seen.text);
      },
    },
  };
};

const send = (request: TransportRequest, reader: ReturnType<typeof reading>["reader"]) =>
  Transport.use((transport) => transport.send(request, reader));

const kindOf = (request: TransportRequest) =>
  Effect.map(Effect.flip(send(request, reading().reader)), ({ kind }) => kind);

for (const [name, layer] of transports) {
  describe(`${name} keeps the laws of a transport`, () => {
    const law = (title: string, check: Effect.Effect<void, unknown, Transport | Scope.Scope>) =>
      it.live(title, () => Effect.provide(check, layer));

    law(
      "sends method, path, query, headers and exactly the bytes of the body",
      Effect.gen(function* () {
        const { url, seen } = yield* servers.http((response) => response.end("ok"));
        const all = new TextEncoder().encode('xx{"ü":1}yy');
        yield* send(outgoing(`${url}/v1/chat?x=1`, { body: all.subarray(2, -2) }), reading().reader);
        const [request] = seen.requests;
        assert.strictEqual(request?.url, "/v1/chat?x=1");
        assert.strictEqual(request?.body, '{"ü":1}');
        assert.strictEqual(request?.headers["x-own"], "1");
        assert.strictEqual(request?.headers["content-type"], "application/json");
      }),
    );

    law(
      "gives the head before the chunks, and any status is a success",
      Effect.gen(function* () {
        const { url } = yield* servers.http((response) => {
          response.writeHead(529, { "Retry-After": "7", "X-Several": ["a", "b"] });
          response.write("first ");
          response.end("second");
        });
        const { seen, reader } = reading((text) => {
          assert.isAbove(text.length, 0);
          return "more";
        });
        yield* send(outgoing(url), reader);
        assert.strictEqual(seen.status, 529);
        assert.strictEqual(seen.headers["retry-after"], "7");
        assert.strictEqual(seen.headers["x-several"], "a, b");
        assert.strictEqual(seen.text, "first second");
      }),
    );

    law(
      "gives an empty body as no chunk",
      Effect.gen(function* () {
        const { url } = yield* servers.http((response) => response.writeHead(204).end());
        const { seen, reader } = reading();
        yield* send(outgoing(url), reader);
        assert.strictEqual(seen.status, 204);
        assert.strictEqual(seen.text, "");
      }),
    );

    law(
      "does not follow redirects",
      Effect.gen(function* () {
        const other = yield* servers.http((response) => response.end("stolen"));
        const { url } = yield* servers.http((response) => response.writeHead(307, { location: other.url }).end());
        const read = reading();
        yield* send(outgoing(url), read.reader);
        assert.strictEqual(read.seen.status, 307);
        assert.strictEqual(other.seen.requests.length, 0);
      }),
    );

    law(
      "closes the connection at once when interrupted, and the reader hears nothing more",
      Effect.gen(function* () {
        const { promise: started, resolve } = Promise.withResolvers<ServerResponseLike>();
        const { url, seen } = yield* servers.http((response) => {
          response.write("a");
          resolve(response);
        });
        const { promise: got, resolve: gotFirst } = Promise.withResolvers<void>();
        const read = reading(() => {
          gotFirst();
          return "more";
        });
        const fiber = yield* Effect.forkChild(send(outgoing(url), read.reader), { startImmediately: true });
        const response = yield* Effect.promise(() => started);
        yield* Effect.promise(() => got);
        yield* Fiber.interrupt(fiber);
        response.write("b");
        yield* Effect.promise(() => seen.closed);
        assert.strictEqual(read.seen.text, "a");
      }),
    );

    law(
      "closes the connection when interrupted before the head",
      Effect.gen(function* () {
        const { promise: asked, resolve } = Promise.withResolvers<void>();
        const { url, seen } = yield* servers.http(() => resolve());
        const fiber = yield* Effect.forkChild(send(outgoing(url), reading().reader), { startImmediately: true });
        yield* Effect.promise(() => asked);
        yield* Fiber.interrupt(fiber);
        yield* Effect.promise(() => seen.closed);
      }),
    );

    law(
      "ends as a success and closes when the reader stops",
      Effect.gen(function* () {
        const { url, seen } = yield* servers.http((response) => response.write("enough"));
        const read = reading(() => "stop");
        yield* send(outgoing(url), read.reader);
        yield* Effect.promise(() => seen.closed);
        assert.strictEqual(read.seen.text, "enough");
      }),
    );

    law(
      "does not wait long for a connection whose reader has finished",
      Effect.gen(function* () {
        const { url } = yield* servers.http((response) => response.write("done"));
        const sending = send(outgoing(url), reading(() => "finished").reader);
        yield* Effect.timeout(sending, 2000);
      }),
    );

    law(
      "times out before the head",
      Effect.gen(function* () {
        const { url } = yield* servers.http(() => undefined);
        assert.strictEqual(yield* kindOf(outgoing(url, { firstByteMs: 100 })), "timeout");
      }),
    );

    law(
      "times out between chunks, after giving those that came",
      Effect.gen(function* () {
        const { url, seen } = yield* servers.http((response) => response.write("a"));
        const read = reading();
        const fault = yield* Effect.flip(send(outgoing(url, { idleMs: 100 }), read.reader));
        assert.strictEqual(fault.kind, "timeout");
        assert.strictEqual(read.seen.text, "a");
        yield* Effect.promise(() => seen.closed);
      }),
    );

    law(
      "reports a connection that breaks within the body, after giving the chunks that came",
      Effect.gen(function* () {
        const { url } = yield* servers.socket((opened) => {
          opened.once("data", () => {
            opened.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart", () => opened.end());
          });
        });
        const read = reading();
        const fault = yield* Effect.flip(send(outgoing(url), read.reader));
        assert.strictEqual(fault.kind, "bodyInterrupted");
        assert.strictEqual(read.seen.text, "part");
      }),
    );

    law(
      "reports a connection that closes before a head as a failed request",
      Effect.gen(function* () {
        const { url } = yield* servers.socket((opened) => opened.once("data", () => opened.end()));
        assert.strictEqual(yield* kindOf(outgoing(url)), "request");
      }),
    );

    law(
      "reports a refused connection",
      Effect.gen(function* () {
        const port = yield* servers.unusedPort;
        assert.strictEqual(yield* kindOf(outgoing(`http://127.0.0.1:${port}/`)), "connect");
      }),
    );

    law(
      "reports a name that cannot be resolved",
      Effect.gen(function* () {
        assert.strictEqual(yield* kindOf(outgoing("http://no-such-host.invalid/")), "dns");
      }),
    );

    law(
      "reports a server that does not speak TLS",
      Effect.gen(function* () {
        const { port } = yield* servers.socket((opened) =>
          opened.once("data", () => opened.end("HTTP/1.1 400 No\r\n\r\n")),
        );
        assert.strictEqual(yield* kindOf(outgoing(`https://127.0.0.1:${port}/`)), "tls");
      }),
    );

    law(
      "reports a head that is no HTTP",
      Effect.gen(function* () {
        const { url } = yield* servers.socket((opened) => opened.once("data", () => opened.end("SSH-2.0-x\r\n\r\n")));
        assert.strictEqual(yield* kindOf(outgoing(url)), "request");
      }),
    );

    law(
      "makes an exception of the reader a defect and closes the connection",
      Effect.gen(function* () {
        const { url, seen } = yield* servers.http((response) => response.write("a"));
        const defect = new Error("reader");
        const reader = reading(() => {
          throw defect;
        }).reader;
        const exit = yield* Effect.exit(send(outgoing(url), reader));
        assert.deepStrictEqual(exit, Exit.die(defect));
        yield* Effect.promise(() => seen.closed);
      }),
    );
  });
}

interface ServerResponseLike {
  readonly write: (text: string) => boolean;
}

describe("UndiciTransport", () => {
  it.live("uses its connections again for calls one after the other", () =>
    Effect.gen(function* () {
      const { url, seen } = yield* servers.http((response) => {
        response.write("data: [DONE]\n\n");
        setImmediate(() => response.end());
      });
      for (let round = 0; round < 8; round += 1) yield* send(outgoing(url), reading(() => "finished").reader);
      // The pool takes a connection back just after the call has ended, so the next call may find it still taken.
      assert.isAtMost(seen.connections.size, 2);
    }).pipe(Effect.provide(UndiciTransport.layer())),
  );
});
