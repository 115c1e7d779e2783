/** Loopback servers over HTTP for tests. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import * as Effect from "effect/Effect";

export interface Loopback {
  readonly url: string;
  readonly port: number;
  /** The requests so far: method, path, headers and body. */
  readonly requests: ReadonlyArray<Seen>;
  /** Ends the server and all of its connections. */
  readonly stop: Effect.Effect<void>;
}

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server that hands each request to `handle`; on the given port, or a free one; closed with the scope. */
export const serve = (handle: (seen: Seen, response: ServerResponse) => void, port = 0) =>
  Effect.gen(function* () {
    const requests: Array<Seen> = [];
    const server = createServer((incoming, response) => {
      const pieces: Array<Buffer> = [];
      response.on("error", () => undefined);
      incoming.on("data", (piece: Buffer) => pieces.push(piece));
      incoming.on("end", () => {
        const seen = {
          method: incoming.method ?? "",
          path: incoming.url ?? "",
          headers: incoming.headers,
          body: Buffer.concat(pieces).toString("utf8"),
        };
        requests.push(seen);
        handle(seen, response);
      });
    });
    const stop = Effect.callback<void>((resume) => {
      if (!server.listening) return resume(Effect.void);
      server.close(() => resume(Effect.void));
      server.closeAllConnections();
    });
    const bound = yield* Effect.acquireRelease(
      Effect.callback<number>((resume) => {
        server.listen(port, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)));
      }),
      () => stop,
    );
    return { url: `http://127.0.0.1:${bound}/mcp`, port: bound, requests, stop } satisfies Loopback;
  });

/** The same over a handler of web requests, as the protocol's server library has them. */
export const serveWeb = (handle: (request: Request) => Promise<Response>, port = 0) =>
  serve((seen, response) => {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const headers = Object.entries(seen.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const request = new Request(`http://127.0.0.1${seen.path}`, {
      method: seen.method,
      headers,
      signal: gone.signal,
      ...(seen.body === "" ? {} : { body: seen.body }),
    });
    handle(request).then(
      (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        if (answer.body === null) return response.end();
        const stream = Readable.fromWeb(answer.body);
        stream.on("error", () => response.destroy());
        response.on("close", () => stream.destroy());
        response.flushHeaders();
        return stream.pipe(response);
      },
      () => response.destroy(),
    );
  }, port);

/** A port of 127.0.0.1 at which nothing listens. */
export const unusedPort = Effect.scoped(
  Effect.map(
    serve(() => undefined),
    ({ port }) => port,
  ),
);
