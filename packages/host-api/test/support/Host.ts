/**
 * A host in memory for clients: it takes connections, and can break them or be away.
 */
import type { ExtensionTools } from "@cahier/ports/ExtensionTools";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as FiberSet from "effect/FiberSet";
import * as Redacted from "effect/Redacted";
import * as BridgeSession from "../../src/extension/BridgeSession.ts";
import * as ExtensionClient from "../../src/extension/ExtensionClient.ts";
import * as RawPeer from "./RawPeer.ts";
import * as SocketPair from "./SocketPair.ts";

export interface Host {
  /** A client of this host; it is closed with the scope. */
  readonly connect: (options?: Partial<ExtensionClient.Options>) => ExtensionClient.ExtensionClient;
  /** Breaks the newest connection, without a word. */
  readonly cut: () => void;
  /** Whether connections are taken. */
  readonly door: { isOpen: boolean };
  /** What waits for its time, in the order in which it was asked for. */
  readonly pauses: ReadonlyArray<Pause>;
  /** The next pause that is short enough to be one between attempts is over at once. */
  readonly hurry: () => void;
}

export interface Pause {
  readonly milliseconds: number;
  readonly run: () => void;
  isOver: boolean;
}

export const make = Effect.fnUntraced(function* (tools: ExtensionTools["Service"]) {
  const fork = yield* FiberSet.makeRuntime();
  const clients: Array<ExtensionClient.ExtensionClient> = [];
  const pairs: Array<SocketPair.SocketPair> = [];
  const pauses: Array<Pause> = [];
  const door = { isOpen: true };
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const client of clients) client.close();
    }),
  );

  const open = async () => {
    if (!door.isOpen) throw new Error("nobody is there");
    const pair = SocketPair.make();
    pairs.push(pair);
    fork(BridgeSession.serve(tools, pair.host, { token: Redacted.make(RawPeer.token) }));
    return pair.page;
  };

  const host: Host = {
    connect: (options = {}) => {
      const client = ExtensionClient.connect({
        url: "ws://example.invalid",
        token: RawPeer.token,
        open,
        later: (milliseconds, run) => {
          const pause: Pause = { milliseconds, run, isOver: false };
          pauses.push(pause);
          return () => {
            pause.isOver = true;
          };
        },
        ...options,
      });
      clients.push(client);
      return client;
    },
    cut: () => pairs.at(-1)?.cut(),
    door,
    pauses,
    hurry: () => {
      const next = pauses.find(({ isOver, milliseconds }) => !isOver && milliseconds <= 30_000);
      if (next === undefined) return;
      next.isOver = true;
      next.run();
    },
  };
  return host;
});

/** Completes when the client is in this state. */
export const reaches = (client: ExtensionClient.ExtensionClient, state: ExtensionClient.State): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (client.state() === state) return Effect.void;
    const reached = Deferred.makeUnsafe<void>();
    const stop = client.onState((next) => {
      if (next === state) Deferred.doneUnsafe(reached, Effect.void);
    });
    return Effect.ensuring(Deferred.await(reached), Effect.sync(stop));
  });

/** Completes when a client waits to register a tool once more. */
export const retries = (host: Host): Effect.Effect<void> =>
  Effect.asVoid(
    Effect.repeat(
      Effect.sync(() => host.pauses.some(({ isOver, milliseconds }) => !isOver && milliseconds === 1_000)),
      { until: (waits) => waits },
    ),
  );
