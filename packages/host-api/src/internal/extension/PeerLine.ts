/**
 * A connection as a session uses it: what was said, in its order, and saying things within the limits.
 *
 * Owns the bounds of memory: of what a peer says before it is heard, and of what is said to a peer that does not read.
 */
import * as Effect from "effect/Effect";
import * as Queue from "effect/Queue";
import type { BridgeSocket } from "../../extension/BridgeSocket.ts";
import { maxMessageBytes } from "../../extension/BridgeLimits.ts";
import type { HostMessage } from "../../extension/ExtensionMessages.ts";

/** Codes of WebSocket for a connection that is closed. */
export const goingAway = 1001;
export const policyViolated = 1008;

export interface PeerLine {
  /** The next message, or null when there is none to come. */
  readonly take: Effect.Effect<string | null>;
  readonly isOpen: () => boolean;
  /** Whether the peer takes what it is sent. */
  readonly hasRoom: () => boolean;
  readonly send: (text: string) => void;
  /** Sends a message, and ends the connection of a peer that does not take what it is sent. */
  readonly say: (message: HostMessage) => void;
  /** Ends the connection; what was said before is not heard any more. */
  readonly quit: (code: number, reason: string) => void;
  /** Whether the peer has said something since this was asked the last time. */
  readonly hasSpoken: () => boolean;
}

/** Listens to a connection. */
export const make = Effect.fnUntraced(function* (socket: BridgeSocket) {
  const inbox = yield* Queue.unbounded<string | null>();
  const state = { isOpen: true, hasSpoken: false, queued: 0 };

  const quit = (code: number, reason: string) => {
    if (!state.isOpen) return;
    state.isOpen = false;
    socket.close(code, reason);
    Queue.offerUnsafe(inbox, null);
  };
  const hasRoom = () => socket.bufferedBytes() <= mostBuffered;
  const send = (text: string) => {
    if (state.isOpen) socket.send(text);
  };

  socket.listen({
    message: (text) => {
      if (!state.isOpen) return;
      state.hasSpoken = true;
      state.queued += costOf(text);
      if (state.queued > mostQueued) return quit(policyViolated, "more was said than can be heard");
      Queue.offerUnsafe(inbox, text);
    },
    closed: () => {
      if (!state.isOpen) return;
      state.isOpen = false;
      Queue.offerUnsafe(inbox, null);
    },
  });

  const line: PeerLine = {
    take: Effect.tap(Queue.take(inbox), (text) =>
      Effect.sync(() => {
        if (text !== null) state.queued -= costOf(text);
      }),
    ),
    isOpen: () => state.isOpen,
    hasRoom,
    send,
    say: (message) => {
      if (hasRoom()) return send(JSON.stringify(message));
      return quit(policyViolated, "what is said is not read");
    },
    quit,
    hasSpoken: () => {
      const { hasSpoken } = state;
      state.hasSpoken = false;
      return hasSpoken;
    },
  };
  return line;
});

/** Many small messages cost more than their texts. */
const costOf = (text: string): number => text.length + 256;

const mostQueued = 4 * maxMessageBytes;

const mostBuffered = 4 * maxMessageBytes;
