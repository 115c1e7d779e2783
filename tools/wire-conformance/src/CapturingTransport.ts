/**
 * A transport that keeps what it is asked to send and reaches nobody.
 *
 * Owns the copies of requests. Each call ends as if the server were not there.
 */
import { Transport, TransportFault, type TransportRequest } from "@cahier/provider-gateway/transport/Transport";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";

/** One request with its body as text. */
export interface Captured {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A transport and the requests that it was given, in order. */
export const make = (): { readonly layer: Layer.Layer<Transport>; readonly requests: ReadonlyArray<Captured> } => {
  const requests: Array<Captured> = [];
  const layer = Layer.succeed(Transport)(
    Transport.of({
      send: (request: TransportRequest) =>
        Effect.suspend(() => {
          requests.push({
            url: request.url.href,
            headers: request.headers,
            body: new TextDecoder().decode(request.body),
          });
          return Effect.fail(new TransportFault({ kind: "connect", detail: "the request was captured, not sent" }));
        }),
    }),
  );
  return { layer, requests };
};
