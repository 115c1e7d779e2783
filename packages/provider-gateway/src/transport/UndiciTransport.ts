/**
 * The transports for Node: undici's dispatcher hands each chunk straight to the reader, without streams or promises, and
 * its WebSocket each text.
 *
 * Owns connection pools, closed with their scope, that hold the rule of the addresses which may be called: see
 * `internal/UndiciPool`. Does not own proxy settings: give a dispatcher that has them. Undici is loaded at the first
 * request, so that a program that sends none does not pay for it.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type { Dispatcher } from "undici";
import * as networkKind from "../internal/networkKind.ts";
import { joined } from "./internal/headers.ts";
import * as UndiciPool from "./internal/UndiciPool.ts";
import * as UndiciSocket from "./internal/UndiciSocket.ts";
import { type Socket, SocketTransport } from "./SocketTransport.ts";
import { type ResponseReader, Transport, type TransportFault, type TransportRequest } from "./Transport.ts";

export type { Options } from "./internal/UndiciPool.ts";

/** Makes the transport for requests; all its connections are destroyed when the scope closes. */
export const make = (options?: UndiciPool.Options) => Effect.map(UndiciPool.make(options), over);

/** Both transports as a layer, over the same pools. */
export const layer = (options?: UndiciPool.Options): Layer.Layer<Transport | SocketTransport> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const pool = yield* UndiciPool.make(options);
      return Context.make(Transport, over(pool)).pipe(Context.add(SocketTransport, yield* sockets(pool)));
    }),
  );

/** How long a connection may stay open after the reader has said `finished`. */
const graceMs = 250;

const over = (pool: UndiciPool.Pool) =>
  Transport.of({
    send: (request, reader) =>
      Effect.flatMap(pool.at(request.url, request.network), (opened) => dispatch(opened, request, reader)),
  });

const sockets = Effect.fnUntraced(function* (pool: UndiciPool.Pool) {
  const all = yield* Effect.acquireRelease(
    Effect.sync(() => new Set<Socket>()),
    (left) => Effect.sync(() => left.forEach((socket) => socket.close())),
  );
  return SocketTransport.of({
    open: Effect.fnUntraced(function* (request) {
      const dispatcher = yield* pool.at(request.url, request.network);
      const undici = yield* UndiciSocket.load;
      const socket = yield* UndiciSocket.open(undici, dispatcher, request, (closed) => all.delete(closed));
      all.add(socket);
      return socket;
    }),
  });
});

const dispatch = (dispatcher: Dispatcher, request: TransportRequest, reader: ResponseReader) =>
  Effect.callback<void, TransportFault>((resume) => {
    const exchange = new Exchange(reader, resume);
    try {
      dispatcher.dispatch(
        {
          origin: request.url.origin,
          path: request.url.pathname + request.url.search,
          method: request.method,
          headers: request.headers,
          body: request.body,
          headersTimeout: request.firstByteMs,
          bodyTimeout: request.idleMs,
        },
        exchange,
      );
    } catch (error) {
      exchange.onResponseError(undefined, error);
    }
    return Effect.sync(() => exchange.close());
  });

/** One request and its response; after `ended` nothing reaches the reader. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #reader: ResponseReader;
  readonly #resume: (result: Effect.Effect<void, TransportFault>) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #phase: "head" | "body" = "head";
  #ended = false;
  #finished = false;
  #grace: ReturnType<typeof setTimeout> | undefined;

  constructor(reader: ResponseReader, resume: (result: Effect.Effect<void, TransportFault>) => void) {
    this.#reader = reader;
    this.#resume = resume;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended) this.close();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | ReadonlyArray<string> | undefined>,
  ): void {
    if (this.#ended || status < 200) return;
    this.#phase = "body";
    this.#guard(() => this.#reader.head({ status, headers: joined(headers) }));
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.#ended || this.#finished) return;
    this.#guard(() => {
      const demand = this.#reader.chunk(bytes);
      if (demand === "stop") this.#succeedAndClose();
      if (demand !== "finished") return;
      this.#finished = true;
      this.#grace = setTimeout(() => this.#succeedAndClose(), graceMs);
    });
  }

  onResponseEnd(): void {
    this.#end(Effect.void);
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#end(this.#finished ? Effect.void : Effect.fail(networkKind.toFault(error, this.#phase)));
  }

  /** Aborts the connection, now or as soon as there is one. */
  close(): void {
    this.#ended = true;
    clearTimeout(this.#grace);
    this.#controller?.abort(new Error("closed by the caller"));
  }

  #end(result: Effect.Effect<void, TransportFault>): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#grace);
    this.#resume(result);
  }

  #succeedAndClose(): void {
    this.#end(Effect.void);
    this.close();
  }

  #guard(read: () => void): void {
    try {
      read();
    } catch (defect) {
      this.#end(Effect.die(defect));
      this.close();
    }
  }
}
