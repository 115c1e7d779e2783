/**
 * Where a gateway tells what it has sent and received, for people who look for a mistake. Off unless somebody provides
 * one: to the gateway's layer for all calls, or around a call for that one.
 *
 * Owns the way out of the gateway. Does not own what becomes of the exchanges, nor what they hide: secrets, headers
 * that carry them and long values of a query are taken out before anything gets here. Where a server echoes a secret in
 * pieces, over several events of a stream, the body does not get here at all. Such pieces are recognised in what the
 * answer says; in what nobody reads, such as a second choice, they are not.
 */
import type { ModelExchange } from "@cahier/domain/model/ModelExchange";
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";

/** `record` is called once for each call that got as far as sending, after its end; the call waits for it. */
export interface RequestLog {
  readonly record: (exchange: ModelExchange) => Effect.Effect<void>;
}

/** The log; undefined where nobody asks for one. Scripted models have none. */
export const RequestLog = Context.Reference<RequestLog | undefined>("@cahier/provider-gateway/RequestLog", {
  defaultValue: () => undefined,
});
