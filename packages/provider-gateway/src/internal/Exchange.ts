/**
 * One way of asking a server: the form that HTTP and WebSockets fill in.
 */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelFault, OnDelta } from "@cahier/ports/ModelGateway";
import type * as Effect from "effect/Effect";
import type { Refusal } from "../Route.ts";
import type { Outcome } from "./Outcome.ts";
import type { Observer } from "./Recorder.ts";
import type { Session } from "./Sessions.ts";

/** Asks once. A refusal says why nothing can be sent. */
export type Exchange = (
  session: Session,
  request: ModelRequest,
  onDelta: OnDelta,
  way: Way,
) => Effect.Effect<Outcome, Refusal | ModelFault>;

/** Where a call goes, and as whom. */
export interface Way {
  readonly url: URL;
  readonly auth: Readonly<Record<string, string>>;
  readonly observer: Observer | undefined;
}

/** How long a server may take, in milliseconds; `openMs` is for the handshake of a socket. */
export interface Patience {
  readonly openMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
}

/** Whether the transport may reach a private address. */
export const networkOf = ({ binding }: ModelRequest): { readonly network?: "private" } =>
  binding.network === undefined ? {} : { network: binding.network };
