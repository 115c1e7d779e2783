/**
 * One connection that carries texts both ways, whatever it is made of: a WebSocket of a page, of a server, or two ends in memory.
 */

/** What an end of a connection is told. `closed` is the last thing, and is said once. */
export interface BridgeListener {
  /** A message that is no text is told as an empty one. */
  readonly message: (text: string) => void;
  readonly closed: (code: number, reason: string) => void;
}

/** An open connection. What arrives before `listen` is kept until then. */
export interface BridgeSocket {
  /** Sends a text, or nothing when the connection is closed. Never throws. */
  readonly send: (text: string) => void;
  /** Closes the connection; closing it again is nothing. */
  readonly close: (code?: number, reason?: string) => void;
  /** How much was sent that the other end has not taken yet. */
  readonly bufferedBytes: () => number;
  /** Says who is told of what arrives; once. */
  readonly listen: (listener: BridgeListener) => void;
}

/** The members of a WebSocket that a bridge needs: that of a page has them, and that of the package `ws`. */
export interface WebSocketLike {
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { readonly code: number; readonly reason: string }) => void): void;
  addEventListener(type: "error", listener: () => void): void;
}

/** A WebSocket that is open as a bridge's connection. To be called before anything can arrive. */
export const fromWebSocket = (socket: WebSocketLike): BridgeSocket => {
  const early: Array<(listener: BridgeListener) => void> = [];
  const told: { listener?: BridgeListener } = {};
  const tell = (say: (listener: BridgeListener) => void) => {
    if (told.listener !== undefined) return say(told.listener);
    if (early.length >= mostEarly) return socket.close(1008, "too much was said before anybody listened");
    early.push(say);
  };
  socket.addEventListener("message", ({ data }) =>
    tell(({ message }) => message(typeof data === "string" ? data : "")),
  );
  socket.addEventListener("close", ({ code, reason }) => {
    const close = ({ closed }: BridgeListener) => closed(code, reason);
    if (told.listener === undefined) early.push(close);
    else close(told.listener);
  });
  // A connection that fails is closed next, and a server's socket must be listened to or its error is thrown.
  socket.addEventListener("error", () => undefined);
  return {
    send: (text) => {
      if (socket.readyState === open) socket.send(text);
    },
    close: (code = 1000, reason = "") => socket.close(code, reason),
    bufferedBytes: () => socket.bufferedAmount,
    listen: (listener) => {
      told.listener = listener;
      for (const say of early.splice(0)) say(listener);
    },
  };
};

const open = 1;

const mostEarly = 64;
