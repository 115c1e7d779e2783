/**
 * The portable transport over Effect's HttpClient: for browsers, for tests, and where requests are to be traced.
 *
 * It cannot see the making of a connection: that counts towards the first byte. Nor can it see what a name resolves to,
 * so only addresses that a URL writes out are held to the rule of the addresses which may be called.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as HttpClient from "effect/http/HttpClient";
import type { HttpClientError } from "effect/http/HttpClientError";
import * as HttpClientRequest from "effect/http/HttpClientRequest";
import * as addresses from "../internal/addresses.ts";
import * as networkKind from "../internal/networkKind.ts";
import { type ResponseReader, Transport, TransportFault, type TransportRequest } from "./Transport.ts";

/** Makes the transport from the HttpClient in context. */
export const make = Effect.gen(function* () {
  const client = HttpClient.withScope(yield* HttpClient.HttpClient);
  const send = Effect.fnUntraced(function* (request: TransportRequest, reader: ResponseReader) {
    const { hostname } = request.url;
    const refusal = addresses.refusal(hostname, addresses.ruleOf(hostname, request.network));
    if (refusal !== undefined) return yield* new TransportFault({ kind: "address", detail: refusal });
    const response = yield* client.execute(outgoing(request)).pipe(
      Effect.updateContext(withoutRedirects),
      Effect.mapError((error) => networkKind.toFault(error, "head")),
      Effect.timeoutOrElse({
        duration: request.firstByteMs,
        orElse: () => Effect.fail(late("the server did not answer in time")),
      }),
    );
    reader.head({ status: response.status, headers: response.headers });
    yield* response.stream.pipe(
      Stream.timeoutOrElse({
        duration: request.idleMs,
        orElse: () => Stream.fail(late("the server stopped within its response")),
      }),
      Stream.runForEachWhile((bytes) => Effect.sync(() => reader.chunk(bytes) === "more")),
      Effect.catchIf(isEmptyBody, () => Effect.void),
      Effect.mapError((error) => (error instanceof TransportFault ? error : networkKind.toFault(error, "body"))),
    );
  }, Effect.scoped);
  return Transport.of({ send });
});

/** The transport as a layer over an HttpClient. */
export const layer: Layer.Layer<Transport, never, HttpClient.HttpClient> = Layer.effect(Transport, make);

/** A client over fetch would follow redirects, and carry the body to wherever they lead. */
const withoutRedirects = (context: Context.Context<Scope.Scope>): Context.Context<Scope.Scope> =>
  Context.add(context, FetchHttpClient.RequestInit, {
    ...Context.getOrUndefined(context, FetchHttpClient.RequestInit),
    redirect: "manual",
  });

/** To this client a body that cannot be is a failure. */
const isEmptyBody = (error: TransportFault | HttpClientError): boolean =>
  error._tag === "HttpClientError" && error.reason._tag === "EmptyBodyError";

const outgoing = (request: TransportRequest) =>
  HttpClientRequest.make(request.method)(request.url, { headers: request.headers }).pipe((prepared) =>
    request.body.length === 0
      ? prepared
      : HttpClientRequest.bodyUint8Array(prepared, request.body, request.headers["content-type"]),
  );

const late = (detail: string) => new TransportFault({ kind: "timeout", detail });
