/**
 * The transport for Node: undici's dispatcher hands each chunk straight to the reader, without streams or promises.
 *
 * Owns one connection pool, closed with its scope. Does not own proxy settings: give a dispatcher that has them. Undici
 * is loaded at the first request, so that a program that sends none does not pay for it.
 */
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Scope from "effect/Scope";
import type { Dispatcher } from "undici";
import * as networkKind from "../internal/networkKind.ts";
import { type ResponseReader, Transport, type TransportFault, type TransportRequest } from "./Transport.ts";

/** `connectMs` bounds the making of a connection, TLS included. */
export interface Options {
  readonly connectMs?: number;
  /** Used instead of a pool of its own, and not closed: for proxies, pinned certificates, interceptors. */
  readonly dispatcher?: Dispatcher;
}

/** Makes the transport; all its connections are destroyed when the scope closes. */
export const make = Effect.fnUntraced(function* (options?: Options) {
  const scope = yield* Effect.scope;
  const dispatcher = yield* Effect.cached(
    options?.dispatcher === undefined
      ? openPool(options?.connectMs ?? 10_000, scope)
      : Effect.succeed(options.dispatcher),
  );
  return Transport.of({
    send: (request, reader) => Effect.flatMap(dispatcher, (opened) => dispatch(opened, request, reader)),
  });
});

/** The transport as a layer. */
export const layer = (options?: Options): Layer.Layer<Transport> => Layer.effect(Transport, make(options));

/** How long a connection may stay open after the reader has said `finished`. */
const graceMs = 250;

const openPool = (connectMs: number, scope: Scope.Scope) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      // The default export: a bundler gives a CommonJS module no named ones.
      const { default: undici } = await import("undici");
      return new undici.Agent({ connect: { timeout: connectMs }, keepAliveTimeout: 60_000 });
    }),
    (agent) => Effect.promise(() => agent.destroy()),
  ).pipe(Scope.provide(scope), Effect.uninterruptible);

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

const joined = (headers: Record<string, string | ReadonlyArray<string> | undefined>): Record<string, string> => {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ");
  }
  return flat;
};
