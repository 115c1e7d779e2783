/**
 * A transport that passes everything on to another and keeps what went and came, without secrets.
 *
 * Owns the redaction of what it keeps: headers by name, everything else by the values of the secrets.
 */
import { type ResponseReader, Transport, type TransportRequest } from "@cahier/provider-gateway/transport/Transport";
import * as Effect from "effect/Effect";
import * as Cassette from "./Cassette.ts";

/** The transport, and the exchanges so far; one that was left open or broken is among them. */
export interface Recording {
  readonly transport: Transport["Service"];
  readonly exchanges: () => ReadonlyArray<Cassette.Exchange>;
}

export const make = (inner: Transport["Service"], secrets: ReadonlyArray<string>): Recording => {
  const exchanges: Array<Cassette.Exchange> = [];
  const send = Effect.fnUntraced(function* (request: TransportRequest, reader: ResponseReader) {
    // The body may be used again after the call.
    const kept = requestOf(request, secrets);
    const chunks: Array<Uint8Array> = [];
    const seen = { status: 0, headers: {} as Readonly<Record<string, string>> };
    const keep = (ending: Cassette.Exchange["response"]["ending"]) =>
      Effect.sync(() => {
        const { headers, status } = seen;
        const response = { status, headers: headersOf(headers, answered, secrets) };
        const hidden = Cassette.hideInChunks(chunks, secrets).filter(({ length }) => length > 0);
        exchanges.push({ request: kept, response: { ...response, chunks: hidden.map(Cassette.chunkOf), ending } });
      });
    const watching: ResponseReader = {
      head: (head) => {
        seen.status = head.status;
        seen.headers = head.headers;
        reader.head(head);
      },
      chunk: (bytes) => {
        chunks.push(bytes.slice());
        return reader.chunk(bytes);
      },
    };
    yield* inner.send(request, watching).pipe(
      Effect.tapError(() => keep("cut")),
      Effect.onInterrupt(() => keep("open")),
    );
    yield* keep("complete");
  });
  return { transport: Transport.of({ send }), exchanges: () => exchanges };
};

const requestOf = (request: TransportRequest, secrets: ReadonlyArray<string>): Cassette.Exchange["request"] => ({
  method: request.method,
  endpoint: Cassette.hide(request.url.href, secrets),
  headers: headersOf(request.headers, sent, secrets),
  body: parse(Cassette.hide(new TextDecoder().decode(request.body), secrets)),
});

/** Names of headers that are kept; all others may be somebody's business. */
const sent = /^(?:accept|content-type|anthropic-(?:beta|version)|openai-beta)$/;
const answered = /^(?:content-type|retry-after(?:-ms)?)$/;

const headersOf = (
  headers: Readonly<Record<string, string>>,
  names: RegExp,
  secrets: ReadonlyArray<string>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      names.test(name) ? [[name, Cassette.hide(value, secrets)]] : [],
    ),
  );

const parse = (text: string): Cassette.Exchange["request"]["body"] =>
  text === "" ? null : (JSON.parse(text) as Cassette.Exchange["request"]["body"]);
