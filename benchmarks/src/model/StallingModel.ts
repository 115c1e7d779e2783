/**
 * A model in this process that falls silent: it answers so many requests and never the next one.
 *
 * What stands behind it is the whole gateway, which has made the request's bytes by the time that this is asked. It makes
 * runs that stand before a request, and says when a resumed run has come to its request.
 */
import { Transport } from "@cahier/provider-gateway/transport/Transport";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { type ConversationKind, reply } from "./replies.ts";

export interface StallingModel {
  readonly layer: Layer.Layer<Transport>;
  /** The bytes of the request that is never answered, once it has come. */
  readonly asked: Promise<Uint8Array>;
}

/** Where its requests go; nothing listens there. */
export const baseUrl = "http://127.0.0.1:9/v1";

/** A model for one run: the first `rounds` requests are answered by one tool call each. */
export const make = (kind: ConversationKind, rounds: number): StallingModel => {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  let round = 0;
  const layer = Layer.succeed(Transport, {
    send: ({ body }, reader) =>
      Effect.suspend(() => {
        if (round === rounds) {
          resolve(body.slice());
          return Effect.never;
        }
        reader.head({ status: 200, headers: { "content-type": "text/event-stream" } });
        reader.chunk(reply(kind, round, rounds));
        round += 1;
        return Effect.void;
      }),
  });
  return { layer, asked: promise };
};
