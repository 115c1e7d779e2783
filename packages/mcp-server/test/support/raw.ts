/** Requests over HTTP as they stand, also such as no client library makes. */
import { request } from "node:http";
import type { Socket } from "node:net";
import { connect } from "node:net";
import * as Effect from "effect/Effect";
import type { Listening } from "@cahier/mcp-server/HttpServer";
import { token } from "./Clients.ts";

export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>;
  readonly body: string;
}

/** The headers of a client that may ask; `undefined` takes one away. */
export const headers = (others: Readonly<Record<string, string | undefined>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...others,
    }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

/** A request with the headers of a client that may ask, unless it has others. */
export const ask = ({ port }: Listening, asked: Asked): Effect.Effect<Answer> =>
  Effect.callback((resume) => {
    const sent = request({
      host: "127.0.0.1",
      port,
      path: asked.path ?? "/mcp",
      method: asked.method ?? "POST",
      headers: asked.headers ?? headers(),
      agent: false,
    });
    sent.on("response", (response) => {
      const pieces: Array<Buffer> = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("close", () =>
        resume(
          Effect.succeed({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(pieces).toString("utf8"),
          }),
        ),
      );
    });
    sent.on("error", (error) => resume(Effect.die(error)));
    sent.end(asked.body ?? initialize);
  });

export const message = (method: string, params: object, id: number | undefined = 1): string =>
  JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params });

/** The opening of the older era. */
export const initialize = message("initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "a test", version: "1.0.0" },
});

/** A call of the newer era; `name` is that of the tool. */
export const call = (name: string, given: object): Asked => ({
  headers: headers({ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name }),
  body: message("tools/call", {
    name,
    arguments: given,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "a test", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  }),
});

/** A connection that has sent a request, and reads nothing until it is told to. Cut with the scope. */
export const open = ({ port }: Listening, asked: Asked) =>
  Effect.acquireRelease(
    Effect.sync((): Socket => {
      const socket = connect({ host: "127.0.0.1", port });
      socket.on("error", () => undefined);
      socket.pause();
      const lines = Object.entries({
        host: `127.0.0.1:${port}`,
        ...(asked.headers ?? headers()),
        "content-length": String(Buffer.byteLength(asked.body ?? "")),
      }).map(([name, value]) => `${name}: ${value}`);
      socket.write([`${asked.method ?? "POST"} /mcp HTTP/1.1`, ...lines, "", asked.body ?? ""].join("\r\n"));
      return socket;
    }),
    (socket) => Effect.sync(() => socket.destroy()),
  );
