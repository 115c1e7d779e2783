/** Loopback servers for tests. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSocketServer, type Socket } from "node:net";
import type { AddressInfo, Server } from "node:net";
import * as Effect from "effect/Effect";

/** What a server saw of the latest requests, and whether their connections are closed. */
export interface Seen {
  readonly requests: Array<{ readonly url: string; readonly headers: IncomingMessage["headers"]; body: string }>;
  /** Resolves when the connection of some request was closed by the client. */
  readonly closed: Promise<void>;
  readonly connections: Set<Socket>;
}

/** A node:http server that answers with the handler once the request's body has arrived; closed with the scope. */
export const http = (handler: (response: ServerResponse, body: string, path: string) => void) =>
  Effect.gen(function* () {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const seen: Seen = { requests: [], closed, connections: new Set() };
    const listener: RequestListener = (incoming, response) => {
      const pieces: Array<Buffer> = [];
      incoming.on("data", (piece: Buffer) => pieces.push(piece));
      incoming.on("end", () => {
        const body = Buffer.concat(pieces).toString("utf8");
        seen.requests.push({ url: incoming.url ?? "", headers: incoming.headers, body });
        handler(response, body, incoming.url ?? "");
      });
      response.on("close", () => {
        if (!response.writableFinished) resolve();
      });
    };
    const server = createServer(listener);
    server.on("connection", (socket) => seen.connections.add(socket));
    const port = yield* listen(server, () => server.closeAllConnections());
    return { url: `http://127.0.0.1:${port}`, seen };
  });

/** A server of bare sockets. */
export const socket = (onConnection: (socket: Socket) => void) =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>();
    const server = createSocketServer((opened) => {
      sockets.add(opened);
      opened.on("error", () => opened.destroy());
      onConnection(opened);
    });
    const port = yield* listen(server, () => sockets.forEach((opened) => opened.destroy()));
    return { url: `http://127.0.0.1:${port}`, port };
  });

/** A port of 127.0.0.1 at which nothing listens. */
export const unusedPort = Effect.suspend(() => Effect.scoped(socket(() => undefined))).pipe(
  Effect.map(({ port }) => port),
);

const listen = (server: Server, disconnect: () => void) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)));
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void));
        disconnect();
      }),
  );
