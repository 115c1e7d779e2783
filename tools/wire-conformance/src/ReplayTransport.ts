/**
 * A transport that plays the exchanges of a cassette back, chunk by chunk.
 *
 * Owns the comparison of each request with the recorded one. What does not fit is a fault of the kind `request` whose
 * detail names the first difference, so that a test fails with it.
 */
import {
  type ResponseReader,
  Transport,
  TransportFault,
  type TransportRequest,
} from "@cahier/provider-gateway/transport/Transport";
import * as Effect from "effect/Effect";
import * as Cassette from "./Cassette.ts";

/** The transport, the exact bodies it was sent, and how many exchanges are left or were left by the caller. */
export interface Replay {
  readonly transport: Transport["Service"];
  readonly bodies: ReadonlyArray<string>;
  readonly remaining: () => number;
  readonly abandoned: () => number;
}

export const make = (exchanges: ReadonlyArray<Cassette.Exchange>): Replay => {
  const bodies: Array<string> = [];
  const left = { abandoned: 0 };
  const send = Effect.fnUntraced(
    function* (request: TransportRequest, reader: ResponseReader) {
      const exchange = exchanges[bodies.length];
      const body = new TextDecoder().decode(request.body);
      bodies.push(body);
      if (exchange === undefined) return yield* unlike(`the cassette has no exchange ${bodies.length}`);
      const difference = differenceOf(exchange, request, body);
      if (difference !== undefined) return yield* unlike(difference);
      const { chunks, ending, headers, status } = exchange.response;
      reader.head({ status, headers });
      for (const chunk of chunks) if (reader.chunk(Cassette.bytesOf(chunk)) === "stop") return undefined;
      if (ending === "complete") return undefined;
      if (ending === "cut") {
        return yield* new TransportFault({ kind: "bodyInterrupted", detail: "the connection broke here" });
      }
      return yield* Effect.never;
    },
    Effect.onInterrupt(() => Effect.sync(() => (left.abandoned += 1))),
  );
  return {
    transport: Transport.of({ send }),
    bodies,
    remaining: () => exchanges.length - bodies.length,
    abandoned: () => left.abandoned,
  };
};

const unlike = (detail: string): TransportFault => new TransportFault({ kind: "request", detail });

const differenceOf = (
  { request: recorded }: Cassette.Exchange,
  request: TransportRequest,
  body: string,
): string | undefined => {
  if (request.method !== recorded.method) return `the method is ${request.method}, recorded ${recorded.method}`;
  if (request.url.href !== recorded.endpoint)
    return `the endpoint is ${request.url.href}, recorded ${recorded.endpoint}`;
  for (const [name, value] of Object.entries(recorded.headers)) {
    if (request.headers[name] !== value) return `the header ${name} is ${request.headers[name]}, recorded ${value}`;
  }
  return firstDifference(JSON.parse(body), recorded.body, "");
};

/** Where two values of JSON differ first, as a sentence; undefined where they do not. */
export const firstDifference = (value: unknown, recorded: unknown, place: string): string | undefined => {
  if (isContainer(value) && isContainer(recorded) && Array.isArray(value) === Array.isArray(recorded)) {
    for (const key of new Set([...Object.keys(value), ...Object.keys(recorded)])) {
      const difference = firstDifference(memberOf(value, key), memberOf(recorded, key), `${place}/${key}`);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  if (Object.is(value, recorded)) return undefined;
  return `the body has ${show(value)} at ${place === "" ? "its root" : place}, recorded ${show(recorded)}`;
};

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;

const memberOf = (value: object, key: string): unknown => Object.entries(value).find(([name]) => name === key)?.[1];

const show = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value).slice(0, 120));
