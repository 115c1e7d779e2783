/**
 * The way of texts to a server and back over one connection that stays open: a WebSocket.
 *
 * Owns the contract. Does not own what the texts mean, nor when a connection is kept or given up. Compression, control
 * frames and the pings that keep a connection alive are the implementation's.
 */
import * as Context from "effect/Context";
import * as Data from "effect/Data";
import type * as Effect from "effect/Effect";
import type { ResponseHead, TransportFault } from "./Transport.ts";

/** One connection to be. Times are milliseconds. */
export interface SocketRequest {
  /** Its scheme is `ws` or `wss`. */
  readonly url: URL;
  /** Sent with the handshake; lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** From the beginning to the answered handshake. */
  readonly openMs: number;
  /** `private`: the server's name may resolve to a loopback or private address. */
  readonly network?: "private";
}

/** Times are milliseconds: from the sent text to the first one back, and between two of them. */
export interface Deadlines {
  readonly firstByteMs: number;
  readonly idleMs: number;
}

/** Called synchronously for each text that comes, in order; what it returns as for a chunk of a response. */
export type OnText = (text: string) => "more" | "finished";

/** An open connection, for one exchange at a time. */
export interface Socket {
  readonly isOpen: () => boolean;
  /**
   * Sends one text and hands over what comes until the reader has had enough. After a fault, and after an interruption,
   * the connection is closed. Texts that come while nobody asks are dropped. An exception of the reader is a defect.
   */
  readonly exchange: (text: string, onText: OnText, deadlines: Deadlines) => Effect.Effect<void, TransportFault>;
  /** Closes the connection at once. Idempotent. */
  readonly close: () => void;
}

/** The server answered the handshake with something else than a WebSocket; `body` is its beginning. */
export class SocketRefused extends Data.TaggedError("SocketRefused")<{
  readonly head: ResponseHead;
  readonly body: string;
}> {}

/** Opens connections; those still open are closed with the scope of the transport. */
export class SocketTransport extends Context.Service<
  SocketTransport,
  {
    /** Interruption closes what has been opened. */
    readonly open: (request: SocketRequest) => Effect.Effect<Socket, TransportFault | SocketRefused>;
  }
>()("@cahier/provider-gateway/SocketTransport") {}
