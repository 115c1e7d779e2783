/**
 * Two ends of a connection in memory.
 */
import type { BridgeListener, BridgeSocket } from "../../src/extension/BridgeSocket.ts";

export interface SocketPair {
  readonly page: BridgeSocket;
  readonly host: BridgeSocket;
  /** Breaks the connection as if the page had vanished: each end is told when it is told. */
  readonly cut: () => void;
  /** How the connection ended, once it has. */
  readonly closing: { code?: number; reason?: string };
  /** What the page does not take any more, in bytes; set it to let the page stop reading. */
  readonly unread: { bytes: number };
}

export const make = (): SocketPair => {
  const closing: SocketPair["closing"] = {};
  const unread = { bytes: 0 };
  const [toPage, toHost] = [inbox(), inbox()];
  const isOpen = () => closing.code === undefined;
  const close = (code = 1000, reason = "") => {
    if (!isOpen()) return;
    Object.assign(closing, { code, reason });
    for (const end of [toPage, toHost]) end.tell(({ closed }) => closed(code, reason));
  };
  const socket = (own: Inbox, other: Inbox, bufferedBytes: () => number): BridgeSocket => ({
    send: (text) => {
      if (isOpen()) other.tell(({ message }) => message(text));
    },
    close,
    bufferedBytes,
    listen: own.listen,
  });
  return {
    page: socket(toPage, toHost, () => 0),
    host: socket(toHost, toPage, () => unread.bytes),
    cut: () => close(1006, ""),
    closing,
    unread,
  };
};

interface Inbox {
  readonly tell: (say: (listener: BridgeListener) => void) => void;
  readonly listen: (listener: BridgeListener) => void;
}

/** Tells later than it is told, as a network does, and in order. */
const inbox = (): Inbox => {
  const early: Array<(listener: BridgeListener) => void> = [];
  const told: { listener?: BridgeListener } = {};
  return {
    tell: (say) => {
      early.push(say);
      queueMicrotask(() => {
        if (told.listener !== undefined) for (const next of early.splice(0)) next(told.listener);
      });
    },
    listen: (listener) => {
      told.listener = listener;
      queueMicrotask(() => {
        for (const next of early.splice(0)) next(listener);
      });
    },
  };
};
