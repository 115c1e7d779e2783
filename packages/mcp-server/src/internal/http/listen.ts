/**
 * A server of node:http that answers requests with the functions of web requests.
 *
 * Owns sockets, bodies and how much of both there may be. Does not own what is answered.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type * as Scope from "effect/Scope";
import type { Refusal } from "./guard.ts";

/** The address could not be listened at. `reason` is the system's code, such as `EADDRINUSE`. */
export class ListenFault extends Schema.TaggedError<ListenFault>()("ListenFault", {
  reason: Schema.String,
  message: Schema.String,
}) {}

export interface Options {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly bodyBytes: number;
  readonly openRequests: number;
  readonly stallMs: number;
  /** Looked at before anything else of a request. */
  readonly guard: (headers: IncomingMessage["headers"]) => Refusal | undefined;
  /** `sent` is settled when the answer has been taken, or whoever asked has gone. */
  readonly answer: (request: Request, sent: Promise<void>) => Promise<Response | Refusal>;
}

/** Listens until the scope ends; then every connection is cut. Gives the port. */
export const listen = (options: Options): Effect.Effect<number, ListenFault, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(bound(options), (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void));
        server.closeAllConnections();
      }),
    ),
    (server) => (server.address() as AddressInfo).port,
  );

const bound = (options: Options): Effect.Effect<Server, ListenFault> =>
  Effect.callback((resume) => {
    const open = new Set<ServerResponse>();
    const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (incoming, response) => {
      response.on("error", () => undefined);
      if (open.size >= options.openRequests) return busy(response);
      open.add(response);
      response.on("close", () => open.delete(response));
      return void exchange(options, incoming, response).catch(() => response.destroy());
    });
    server.maxConnections = options.openRequests * 2;
    server.once("error", (error: NodeJS.ErrnoException) => {
      const reason = error.code ?? error.name;
      const message = `Nothing could be listened at ${options.host}, port ${options.port} (${reason}).`;
      resume(Effect.fail(new ListenFault({ reason, message })));
    });
    server.listen(options.port, options.host, () => resume(Effect.succeed(server)));
  });

const exchange = async (options: Options, incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
  const refusal = options.guard(incoming.headers) ?? placeFault(options, incoming);
  if (refusal !== undefined) return refuse(response, refusal);
  const body = await bodyOf(incoming, options.bodyBytes);
  if (body === undefined)
    return refuse(response, { status: 413, message: `At most ${options.bodyBytes} bytes are read.` });
  const gone = new AbortController();
  const { promise: sent, resolve } = Promise.withResolvers<void>();
  response.on("close", () => {
    gone.abort();
    resolve();
  });
  if (response.destroyed) return;
  const answer = await options.answer(requestOf(incoming, body, gone.signal), sent);
  return answer instanceof Response ? send(answer, response, options.stallMs) : refuse(response, answer);
};

const placeFault = ({ path }: Options, { url }: IncomingMessage): Refusal | undefined =>
  url?.split("?")[0] === path ? undefined : { status: 404, message: `There is nothing here but ${path}.` };

/** The whole body, or undefined when it is larger than that. What is too much is not kept. */
const bodyOf = async (incoming: IncomingMessage, most: number): Promise<Buffer | undefined> => {
  if (Number(incoming.headers["content-length"] ?? 0) > most) return undefined;
  const pieces: Array<Buffer> = [];
  const read = { bytes: 0 };
  for await (const piece of incoming as AsyncIterable<Buffer>) {
    read.bytes += piece.length;
    if (read.bytes > most) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};

const requestOf = (incoming: IncomingMessage, body: Buffer, signal: AbortSignal): Request => {
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  );
  const method = incoming.method ?? "GET";
  const hasBody = body.length > 0 && method !== "GET" && method !== "HEAD";
  const url = new URL(incoming.url ?? "/", `http://${incoming.headers.host ?? "localhost"}`);
  return new Request(url, { method, headers, signal, ...(hasBody ? { body: new Uint8Array(body) } : {}) });
};

/** Sends as fast as it is taken; whoever takes nothing for so long is cut off. */
const send = async (answer: Response, response: ServerResponse, stallMs: number): Promise<void> => {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) return void response.end();
  const stream = Readable.fromWeb(answer.body);
  response.on("close", () => stream.destroy());
  response.flushHeaders();
  for await (const piece of stream as AsyncIterable<Uint8Array>) {
    if (!response.write(piece)) await taken(response, "drain", stallMs);
  }
  response.end();
  await taken(response, "finish", stallMs);
};

/** Resolves at the event or when the response is closed; cuts the response off after the time. */
const taken = (response: ServerResponse, event: "drain" | "finish", stallMs: number): Promise<void> => {
  if (response.destroyed || response.writableFinished) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => response.destroy(), stallMs);
  const over = () => {
    clearTimeout(timer);
    resolve();
  };
  response.once(event, over);
  response.once("close", over);
  return promise;
};

/** An error as JSON-RPC has it, so that clients show its words. */
const refuse = (response: ServerResponse, { headers = {}, message, status }: Refusal): void => {
  // Whatever else the client sends on this connection is not read.
  response.writeHead(status, { "content-type": "application/json", connection: "close", ...headers });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_000, message } }));
};

const busy = (response: ServerResponse): void =>
  refuse(response, {
    status: 503,
    message: "Too much is asked at once. Try again later.",
    headers: { "retry-after": "1" },
  });
