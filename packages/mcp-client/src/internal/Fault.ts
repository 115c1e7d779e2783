/**
 * What can go wrong between this side and a server, before it is said in the words of an operation.
 */
import * as Data from "effect/Data";
import type * as Schema from "effect/Schema";

/** No session could be had: `kind` says at what it failed. Details repeat no secret. */
export class ConnectFault extends Data.TaggedError("ConnectFault")<{
  readonly kind: "timeout" | "failed" | "peerInfoMissing";
  readonly detail: string;
}> {}

/**
 * A request has no result. `sessionLost`: the server does not know the session, and so has not looked at the request.
 * `closed`: this side has ended the session.
 */
export class RequestFault extends Data.TaggedError("RequestFault")<{
  readonly kind: "serverError" | "sessionLost" | "closed" | "unsupported" | "failed";
  readonly detail: string;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Schema.Json };
}> {}
