/**
 * The bodies that the gateway makes of canonical requests, byte for byte as they would be sent.
 */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import { type ModelFault, ModelGateway } from "@cahier/ports/ModelGateway";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as CapturingTransport from "./CapturingTransport.ts";
import * as Secrets from "./Secrets.ts";

/** What a request became; `body` is undefined where the gateway refused to send it, and `fault` says why. */
export interface Made {
  readonly body: string | undefined;
  readonly url: string | undefined;
  readonly fault: ModelFault | undefined;
}

/** The requests in turn through one gateway, so that those of one session are made as a run makes them. */
export const of = Effect.fn("bodies.of")(function* (
  requests: ReadonlyArray<ModelRequest>,
  options?: Pick<Gateway.Options, "strictTools">,
) {
  const transport = CapturingTransport.make();
  const layer = Gateway.layer(options).pipe(Layer.provide([Secrets.placeholders, transport.layer]));
  return yield* Effect.gen(function* () {
    const gateway = yield* ModelGateway;
    const made: Array<Made> = [];
    for (const request of requests) {
      const before = transport.requests.length;
      const fault = yield* gateway
        .generate(request, () => undefined)
        .pipe(Effect.match({ onFailure: (failed): ModelFault | undefined => failed, onSuccess: () => undefined }));
      const sent = transport.requests[before];
      made.push({ body: sent?.body, url: sent?.url, fault: sent === undefined ? fault : undefined });
    }
    return made;
  }).pipe(Effect.provide(layer));
});
