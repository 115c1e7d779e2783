/**
 * What a gateway keeps of each session: the encoder that has written its history, and its socket where it has one.
 *
 * Owns which call gets which session, and when a socket is closed. Does not own what either does.
 */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { Encoder, Protocol } from "../Route.ts";
import { SocketSession } from "./SocketSession.ts";

/** `conversation` is there for bindings that ask for a WebSocket. */
export interface Session {
  readonly protocol: Protocol;
  readonly encoder: Encoder;
  readonly conversation: SocketSession | undefined;
  isBusy: boolean;
}

export class Sessions {
  readonly #sessions = new Map<string, Session>();

  /** A session is one call at a time; a second call at once, or one another way, gets a session of its own. */
  take(request: ModelRequest, protocol: Protocol): Session {
    const known = this.#sessions.get(request.sessionId);
    const overSocket = request.binding.transport === "websocket" ? protocol.socket : undefined;
    const isSame = known?.protocol === protocol && (known.conversation === undefined) === (overSocket === undefined);
    if (known !== undefined && isSame && !known.isBusy) {
      known.isBusy = true;
      return known;
    }
    const conversation = overSocket === undefined ? undefined : new SocketSession(protocol, overSocket);
    const made = { protocol, encoder: protocol.encoder(), conversation, isBusy: true };
    if (known?.isBusy === true) return made;
    this.forget(request.sessionId);
    this.#sessions.set(request.sessionId, made);
    return made;
  }

  /** The call has ended. What was only made for it, or forgotten during it, keeps no socket. */
  release(sessionId: string, session: Session): void {
    session.isBusy = false;
    if (this.#sessions.get(sessionId) !== session) session.conversation?.close();
  }

  /** The next call of that id begins anew. The socket of a call that goes on is closed when that has ended. */
  forget(sessionId: string): void {
    const session = this.#sessions.get(sessionId);
    this.#sessions.delete(sessionId);
    if (session?.isBusy === false) session.conversation?.close();
  }
}
