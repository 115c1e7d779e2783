/**
 * One request to a server as this side knows it: whether it has left, what came back, who waits.
 *
 * Owns the state that the library of the protocol does not tell: an exchange accompanies everything that is done for its
 * request, through promises and streams, so that the connection can say of which request it sends the bytes. A request
 * may take several rounds on the wire; the state is that of the latest, but what has left has left.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { McpHost, McpQuestion, McpReply } from "@cahier/ports/McpGateway";
import type * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";

/** How a host is asked from within the library. */
export interface Voice {
  readonly ask: ((question: McpQuestion) => Promise<McpReply>) | undefined;
  readonly sample: ((serverId: string, request: Schema.Json) => Promise<Schema.Json>) | undefined;
}

export class Exchange {
  readonly host: McpHost | undefined;
  readonly voice: Voice | undefined;
  /** Runs what a person does for it without its time going on. */
  readonly paused: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>;
  /** What is asked; undefined while it is a whole handshake. Other requests that the library makes for it do not count. */
  method: string | undefined = undefined;
  /** Some of its bytes may have reached the server. */
  left = false;
  /** The latest answer, before anything has looked at it. */
  answer: { readonly result: unknown } | { readonly error: unknown } | undefined = undefined;
  /** The response of HTTP ends with its body, or goes on as a stream of events. */
  reply: "none" | "whole" | "stream" = "none";
  /** Notices of progress that have come and are not told yet; the library makes some of its own, which are no news. */
  progress = 0;
  /** Why the connection could not bring the answer, where it knows. */
  trouble: string | undefined = undefined;
  /** Is called when no answer can come any more. */
  lose: (reason: string) => void = () => undefined;
  /** What is done once nobody waits: what has not left must not leave then. */
  readonly abandoned = new Set<() => void>();
  isAbandoned = false;

  constructor(given: Pick<Exchange, "host" | "voice" | "paused"> = alone) {
    this.host = given.host;
    this.voice = given.voice;
    this.paused = given.paused;
  }

  /** Nobody waits any more. */
  abandon(): void {
    if (this.isAbandoned) return;
    this.isAbandoned = true;
    for (const stop of this.abandoned) stop();
    this.abandoned.clear();
  }

  /** A request of this exchange is about to be sent. */
  begin(): void {
    this.answer = undefined;
    this.reply = "none";
  }
}

const alone: Pick<Exchange, "host" | "voice" | "paused"> = {
  host: undefined,
  voice: undefined,
  paused: (effect) => effect,
};

const store = new AsyncLocalStorage<Exchange | undefined>();

/** The exchange that the running code works for. */
export const current = (): Exchange | undefined => store.getStore();

/** Runs `work`, and all that comes of it, for the exchange. */
export const within = <A>(exchange: Exchange | undefined, work: () => A): A => store.run(exchange, work);
