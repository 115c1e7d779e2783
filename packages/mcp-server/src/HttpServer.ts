/**
 * Serves an offer over Streamable HTTP, both eras of the protocol at one address: sessions of 2025 and stateless 2026-07-28.
 *
 * Owns who may ask, how much, and how long sessions are kept. Listens on loopback unless it is told otherwise, and answers only
 * whoever has the token. Speaks no TLS: beyond loopback a proxy in front of it does.
 */
import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as Schedule from "effect/Schedule";
import type * as Scope from "effect/Scope";
import * as guard from "./internal/http/guard.ts";
import { listen, ListenFault } from "./internal/http/listen.ts";
import { Sessions } from "./internal/http/Sessions.ts";
import { limits } from "./internal/limits.ts";
import * as Serving from "./internal/Serving.ts";
import type { Offer } from "./Offer.ts";

export { ListenFault };

/**
 * `token` has at least 16 characters. `host` is `127.0.0.1` and `port` a free one by default. `hosts` are further names, without
 * ports, under which clients reach this server. The others are limits: sessions at the same time, how long an unused one is kept, and
 * how long a client may take to take what it is sent.
 */
export interface Options {
  readonly token: Redacted.Redacted;
  readonly host?: string;
  readonly port?: number;
  readonly hosts?: ReadonlyArray<string>;
  readonly mostSessions?: number;
  readonly sessionIdleMs?: number;
  readonly stallMs?: number;
}

/** Where it listens: `url` is what clients are given. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  /** How many sessions there are. */
  readonly sessions: Effect.Effect<number>;
}

/** Serves until the scope ends; then connections are cut, and what clients still wait for is interrupted. */
export const make = Effect.fn("McpServer.http")(function* (
  offer: Offer,
  options: Options,
): Effect.fn.Return<Listening, ListenFault, Scope.Scope> {
  const { host = "127.0.0.1", port: asked = 0, hosts = [], stallMs = limits.stallMs } = options;
  const token = Redacted.value(options.token);
  if (token.length < limits.tokenCharacters || /[^\x21-\x7e]/.test(token))
    return yield* new ListenFault({
      reason: "token",
      message: `A token of at least ${limits.tokenCharacters} letters, digits and signs is needed.`,
    });
  const factory = yield* Serving.make(offer);
  const clock = yield* Clock.Clock;
  const sessions = new Sessions(factory, {
    most: options.mostSessions ?? limits.sessions,
    idleMs: options.sessionIdleMs ?? limits.sessionIdleMs,
    now: () => clock.currentTimeMillisUnsafe(),
  });
  const stateless = createMcpHandler(factory, { legacy: "reject", maxRequestBodySize: limits.bodyBytes });
  yield* Effect.addFinalizer(() => Effect.promise(() => Promise.allSettled([sessions.close(), stateless.close()])));
  const idleMs = options.sessionIdleMs ?? limits.sessionIdleMs;
  yield* Effect.promise(() => sessions.sweep()).pipe(Effect.repeat(Schedule.spaced(idleMs / 4)), Effect.forkScoped);
  const port = yield* listen({
    host,
    port: asked,
    path,
    bodyBytes: limits.bodyBytes,
    openRequests: limits.openRequests,
    stallMs,
    guard: guard.make({ hosts: [...hosts, nameOf(host)], token }),
    answer: async (request, sent) =>
      (await isLegacyRequest(request)) ? sessions.answer(request, sent) : stateless.fetch(request),
  });
  return { url: `http://${nameOf(host)}:${port}${path}`, port, sessions: Effect.sync(() => sessions.count) };
});

const path = "/mcp";

/** An address of IPv6 stands in brackets in a URL. */
const nameOf = (host: string): string => (host.includes(":") ? `[${host}]` : host);
