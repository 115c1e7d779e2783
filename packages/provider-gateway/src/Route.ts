/**
 * What a way to a model is made of: protocol x endpoint x auth x framing.
 *
 * Owns the forms that each protocol and source fills in. Does not own any of them: protocols stand in `protocols/`,
 * sources in `providers/`, and `Gateway` puts them together.
 */
import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import type { ModelBinding, ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import type { OnDelta } from "@cahier/ports/ModelGateway";
import type * as Redacted from "effect/Redacted";
import type * as Result from "effect/Result";

/**
 * Why a response is of no use. `status` and `code` of `error` are those that the error names, not those of the response; `quote`
 * is the part of the body that does not fit, where that is not its beginning.
 */
export type Problem =
  | { readonly _tag: "error"; readonly status: number; readonly code?: string; readonly body: string }
  | { readonly _tag: "invalid"; readonly detail: string; readonly quote?: string }
  | { readonly _tag: "interrupted"; readonly detail: string }
  | { readonly _tag: "toolCall"; readonly detail: string };

/**
 * Why messages cannot be sent: their calls and results do not pair, a message that came in this very format has a call
 * whose native part is gone, the provider state does not fit them, or the server does not take an attachment.
 */
export interface Refusal {
  readonly _tag: "pairing" | "nativeLost" | "providerState" | "attachment";
  readonly detail: string;
}

/** Turns the requests of one session into bodies. Not for two calls at a time. */
export interface Encoder {
  /** The body, valid until the next call; or why these messages cannot be sent. After a failure it is to be dropped. */
  readonly encode: (request: ModelRequest) => Result.Result<Uint8Array, Refusal>;
  /** What bodies since the last call leave out or change, as sentences; each thing is said once where it first happens. */
  readonly takeWarnings: () => ReadonlyArray<string>;
}

/** Where a frame goes on: the server knows the first `known` messages, up to and with the response of that id. */
export interface FrameStart {
  readonly previousResponseId: string | undefined;
  readonly known: number;
}

/** Turns the requests of one session into frames for its socket. Not for two calls at a time. */
export interface SocketEncoder {
  /** The frame that asks for a response to all messages, or to those that the server does not know. */
  readonly frame: (request: ModelRequest, start: FrameStart | undefined) => Result.Result<string, Refusal>;
  /** The frame that only tells the server of tools and settings; it is answered by a response without content. */
  readonly warmUp: (request: ModelRequest) => Result.Result<string, Refusal>;
  readonly takeWarnings: () => ReadonlyArray<string>;
}

/** A protocol over a socket that stays open for a session: the same events, each as one text. */
export interface SocketProtocol {
  /** Sent with the handshake; lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly encoder: () => SocketEncoder;
  /** The codes of errors which say that the server does not know the response that a frame goes on from. */
  readonly forgotten: ReadonlySet<string>;
  /** The codes of errors which say that the socket is used up, and another one will do. */
  readonly usedUp: ReadonlySet<string>;
}

/** Folds one response. All members are synchronous; deltas go out as they are folded. */
export interface Decoder {
  /** One event of a streamed response. A problem ends the call. */
  readonly event: (data: string, name: string) => Problem | undefined;
  /** A response that came as one body. */
  readonly whole: (body: string) => Problem | undefined;
  /** The protocol has said that nothing of interest follows. */
  readonly isFinished: () => boolean;
  /** Whether all of the message has arrived, though the connection may not have ended properly. */
  readonly isComplete: () => boolean;
  /** Closes the fold: the one response, or why there is none. */
  readonly end: () => Result.Result<ModelResponse, Problem>;
  /** What has arrived, undefined while that is nothing. */
  readonly partial: () => ModelResponse | undefined;
}

/** Cuts the text of a streamed response into events. `end` also gives out a last event without its blank line. */
export interface Framer {
  readonly feed: (text: string) => string | undefined;
  readonly end: () => string | undefined;
}
export type Framing = (onEvent: (data: string, name: string) => void) => Framer;

/** A wire protocol: its path below the base URL, its bodies, its responses. */
export interface Protocol {
  readonly format: ModelFormat;
  /** May end in a query. */
  readonly path: (request: ModelRequest) => string;
  /** Sent with each request; lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with the requests of a binding, beside the others. */
  readonly bindingHeaders?: (binding: ModelBinding) => Readonly<Record<string, string>>;
  readonly framing: Framing;
  readonly encoder: () => Encoder;
  readonly decoder: (request: ModelRequest, onDelta: OnDelta) => Decoder;
  /** For bindings that ask for a WebSocket; absent where the protocol has none. */
  readonly socket?: SocketProtocol;
}

/** Puts a secret into headers as the format has them; the only place where its value is taken out. */
export type Auth = (secret: Redacted.Redacted, format: ModelFormat) => Readonly<Record<string, string>>;

/** A vendor, or a kind of endpoint: what `binding.source` names. */
export interface Source {
  readonly source: ModelBinding["source"];
  /** Used where the binding has none; a source without one needs a binding with one. */
  readonly baseUrl: string | undefined;
  /** `optional`: a binding without a secret reference sends no credentials. */
  readonly secret: "required" | "optional";
  readonly auth: Auth;
  readonly protocols: ReadonlyArray<Protocol>;
  /** Used in their place where the gateway is to hold models to the schemas of tools. */
  readonly strictProtocols?: ReadonlyArray<Protocol>;
}
