/**
 * Undici's connections, under the rule of the addresses that may be called.
 *
 * Owns one pool for each rule, so that a connection made under one is never used under the other, and the check of what
 * a name resolves to, at the moment of connecting. Both are opened at the first use, undici with them: a program that
 * sends no request does not pay for it.
 */
import { lookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import * as Effect from "effect/Effect";
import * as Scope from "effect/Scope";
import type { Dispatcher } from "undici";
import * as addresses from "../../internal/addresses.ts";
import { TransportFault } from "../Transport.ts";

/** `connectMs` bounds the making of a connection, TLS included. */
export interface Options {
  readonly connectMs?: number;
  /**
   * Used instead of pools of its own, and not closed: for proxies, pinned certificates, interceptors. Then only
   * addresses that a URL writes out are checked: it is the dispatcher that resolves names.
   */
  readonly dispatcher?: Dispatcher;
}

export interface Pool {
  /** The dispatcher for a URL; or a refusal of its address. */
  readonly at: (url: URL, network: "private" | undefined) => Effect.Effect<Dispatcher, TransportFault>;
}

/** Makes the pool; all its connections are destroyed when the scope closes. */
export const make = Effect.fnUntraced(function* (options?: Options) {
  const scope = yield* Effect.scope;
  const { connectMs = 10_000, dispatcher } = options ?? {};
  const own = (rule: addresses.Rule) =>
    Effect.cached(dispatcher === undefined ? openAgent(connectMs, rule, scope) : Effect.succeed(dispatcher));
  const agents = { public: yield* own("public"), private: yield* own("private") };
  return {
    at: (url, network) =>
      Effect.suspend((): Effect.Effect<Dispatcher, TransportFault> => {
        const rule = addresses.ruleOf(url.hostname, network);
        const refusal = addresses.refusal(url.hostname, rule);
        if (refusal !== undefined) return Effect.fail(new TransportFault({ kind: "address", detail: refusal }));
        return agents[rule];
      }),
  } satisfies Pool;
});

const openAgent = (connectMs: number, rule: addresses.Rule, scope: Scope.Scope): Effect.Effect<Dispatcher> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      // The default export: a bundler gives a CommonJS module no named ones.
      const { default: undici } = await import("undici");
      return new undici.Agent({ connect: { timeout: connectMs, lookup: lookupUnder(rule) }, keepAliveTimeout: 60_000 });
    }),
    (agent) => Effect.promise(() => agent.destroy()),
  ).pipe(Scope.provide(scope), Effect.uninterruptible);

/** Finds all addresses of a name, as `node:dns` does. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: ReadonlyArray<LookupAddress>) => void,
) => void;

/** Resolves a name to those of its addresses that may be called. Addresses are not resolved, and so not seen here. */
export const lookupUnder =
  (rule: addresses.Rule, resolve: Resolve = lookup): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const allowed = found.filter(({ address }) => addresses.refusal(address, rule) === undefined);
      if (allowed.length === 0) return callback(new addresses.RefusedAddress(reasonOf(hostname, found, rule)), []);
      if (options.all === true) return callback(null, allowed);
      return callback(null, allowed[0]?.address ?? "", allowed[0]?.family);
    });
  };

const reasonOf = (hostname: string, found: ReadonlyArray<LookupAddress>, rule: addresses.Rule): string =>
  found.map(({ address }) => addresses.refusal(address, rule, hostname)).find((refusal) => refusal !== undefined) ??
  `the name ${hostname} has no address`;
