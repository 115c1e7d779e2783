/**
 * The way of bytes to a server and back: one request out, a head and byte chunks in.
 *
 * Owns the contract and its fault. Does not own what the bytes mean, retries, secrets or redirects: a redirect is a
 * status like any other. Every implementation keeps the same laws.
 */
import * as Context from "effect/Context";
import * as Data from "effect/Data";
import type * as Effect from "effect/Effect";

/** One request. `body` may be reused by the caller after the call has ended, never before. Times are milliseconds. */
export interface TransportRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** From the sent request to the response head. */
  readonly firstByteMs: number;
  /** Between two chunks of the body, and from the head to the first of them. */
  readonly idleMs: number;
  /** `private`: the server's name may resolve to a loopback or private address. */
  readonly network?: "private";
}

/** Header names are lower-case; repeated headers are joined by a comma. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * What the reader wants after a chunk: `more`; `finished`, nothing of interest follows, so that the connection may end
 * in its own time but not hold the call up; `stop`, close the connection now. The last two end the call as a success.
 */
export type Demand = "more" | "finished" | "stop";

/** Called synchronously: `head` once, then `chunk` for each piece in order, nothing after the call has ended. */
export interface ResponseReader {
  readonly head: (head: ResponseHead) => void;
  /** The bytes are only valid during the call. */
  readonly chunk: (bytes: Uint8Array) => Demand;
}

/**
 * Why no whole response came. `bodyInterrupted` and `timeout` may follow a head and chunks. `address`: the server's
 * address is none that may be called, and nothing was sent.
 */
export class TransportFault extends Data.TaggedError("TransportFault")<{
  readonly kind: "address" | "timeout" | "connect" | "proxy" | "dns" | "tls" | "bodyInterrupted" | "request";
  /** For the operator; contains neither headers nor bodies. */
  readonly detail: string;
  readonly cause?: unknown;
}> {}

/** Sends requests. */
export class Transport extends Context.Service<
  Transport,
  {
    /**
     * Succeeds when the body has ended or the reader has had enough; any status is a success. Interruption closes the
     * connection at once. An exception of the reader is a defect.
     */
    readonly send: (request: TransportRequest, reader: ResponseReader) => Effect.Effect<void, TransportFault>;
  }
>()("@cahier/provider-gateway/Transport") {}
