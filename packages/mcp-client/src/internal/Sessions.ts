/**
 * The sessions that are open, one for each server as it is stated.
 *
 * Owns how long they are kept: while something uses them and a while longer. One that is lost, or that was opened for a
 * server which is stated otherwise by now, is replaced at the next use.
 */
import type { McpServer } from "@cahier/ports/McpGateway";
import type { SecretStore } from "@cahier/ports/SecretStore";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as RcMap from "effect/RcMap";
import type * as Scope from "effect/Scope";
import type { Authorizer } from "../Authorizer.ts";
import * as Countdown from "./Countdown.ts";
import { ConnectFault } from "./Fault.ts";
import { limits } from "./limits.ts";
import * as Session from "./Session.ts";

export interface Sessions {
  /** A living session, kept as long as the scope. */
  readonly get: (server: McpServer) => Effect.Effect<Session.Session, ConnectFault, Scope.Scope>;
  /** Ends what is open for a server. */
  readonly close: (serverId: string) => Effect.Effect<void>;
}

export interface Options {
  readonly identity: Session.Identity;
  readonly idle: Duration.Input;
  readonly authorizer: Authorizer | undefined;
}

const tooLate = new ConnectFault({
  kind: "timeout",
  detail: `the server was not ready within ${limits.connectMs / 1000} s`,
});

export const make = Effect.fnUntraced(function* (secrets: SecretStore["Service"], options: Options) {
  const live = new Map<string, { readonly serverId: string; readonly session: Session.Session }>();

  const open = Effect.fnUntraced(function* (key: string) {
    // The key is the server itself, so that one that is stated otherwise is another.
    const server = JSON.parse(key) as McpServer;
    const { identity, authorizer } = options;
    const countdown = yield* Countdown.make(limits.connectMs);
    const session = yield* Effect.raceFirst(
      Session.open(server, { secrets, identity, authorizer, paused: countdown.paused }),
      Effect.andThen(countdown.expired, Effect.fail(tooLate)),
    );
    live.set(key, { serverId: server.id, session });
    yield* Effect.addFinalizer(() => {
      if (live.get(key)?.session === session) live.delete(key);
      return session.end;
    });
    return session;
  });

  const sessions = yield* RcMap.make({ lookup: open, idleTimeToLive: options.idle });

  const retireOthers = (server: McpServer, key: string) =>
    Effect.forEach(
      [...live].filter(([other, { serverId }]) => serverId === server.id && other !== key),
      ([other]) => RcMap.invalidate(sessions, other),
      { discard: true },
    );

  const get = (server: McpServer): Effect.Effect<Session.Session, ConnectFault, Scope.Scope> =>
    Effect.gen(function* () {
      const key = JSON.stringify(server);
      yield* retireOthers(server, key);
      const session = yield* Effect.tapError(RcMap.get(sessions, key), () => RcMap.invalidate(sessions, key));
      if (session.isAlive()) return session;
      yield* RcMap.invalidate(sessions, key);
      return yield* Effect.tapError(RcMap.get(sessions, key), () => RcMap.invalidate(sessions, key));
    });

  return {
    get,
    close: (serverId) =>
      Effect.forEach(
        [...live].filter(([, open]) => open.serverId === serverId),
        ([key, { session }]) => Effect.andThen(session.end, RcMap.invalidate(sessions, key)),
        { discard: true, concurrency: "unbounded" },
      ),
  } satisfies Sessions;
});
