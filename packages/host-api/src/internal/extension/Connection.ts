/**
 * The connection of an extension, which is made anew whenever it breaks.
 *
 * Owns greeting, waiting between attempts, and noticing a host that has gone without a word. Does not own what is said after the
 * welcome.
 */
import { closeCodes, protocolVersion } from "../../extension/BridgeLimits.ts";
import type { BridgeSocket } from "../../extension/BridgeSocket.ts";
import type { Hello } from "../../extension/ExtensionMessages.ts";

/** `waiting`: the next attempt is made in a while. `refused`: the host does not know the token or other messages; `closed`: by this side. */
export type State = "connecting" | "connected" | "waiting" | "refused" | "closed";

/** Runs something after some milliseconds, unless what it gives is called before. */
export type Later = (milliseconds: number, run: () => void) => () => void;

export interface Settings {
  readonly open: () => Promise<BridgeSocket>;
  readonly token: string;
  readonly name?: string;
  readonly later: Later;
  readonly changed: (state: State) => void;
  /** A message of the host, by its members: whatever they are. */
  readonly heard: (message: Readonly<Record<string, unknown>>) => void;
}

export interface Connection {
  readonly state: () => State;
  /** Begins to connect; once. */
  readonly begin: () => void;
  /** Says something; nothing when it is not connected. */
  readonly say: (text: string) => void;
  readonly close: () => void;
}

/** Makes a connection that has not begun. */
export const make = ({ open, token, name, later, changed, heard }: Settings): Connection => {
  const now: { state: State; failures: number; hasSpoken: boolean; socket?: BridgeSocket; stop?: () => void } = {
    state: "connecting",
    failures: 0,
    hasSpoken: false,
  };
  const enter = (state: State) => {
    now.state = state;
    changed(state);
  };
  const isOver = () => now.state === "closed" || now.state === "refused";

  const again = () => {
    now.stop?.();
    if (isOver()) return;
    now.failures += 1;
    const pause = Math.min(longestPause, firstPause * 2 ** (now.failures - 1));
    now.stop = later(pause * (0.5 + Math.random() / 2), attempt);
    enter("waiting");
  };

  /** A host asks every half a minute whether one is there; one that does not has gone, and its socket may never say so. */
  const expectWord = (socket: BridgeSocket) => {
    now.hasSpoken = false;
    now.stop = later(longestSilence, () => {
      if (now.hasSpoken) return expectWord(socket);
      ended(socket, 1006);
      socket.close();
    });
  };

  const ended = (socket: BridgeSocket, code: number) => {
    if (now.socket !== socket) return;
    delete now.socket;
    now.stop?.();
    if (isOver()) return;
    if (code === closeCodes.tokenRefused || code === closeCodes.versionRefused) return enter("refused");
    again();
  };

  const greet = (socket: BridgeSocket) => {
    if (isOver()) return socket.close();
    now.socket = socket;
    expectWord(socket);
    socket.listen({
      message: (text) => {
        const message = parse(text);
        if (now.socket !== socket || message === undefined) return;
        now.hasSpoken = true;
        if (message["type"] !== "welcome") return heard(message);
        now.failures = 0;
        enter("connected");
      },
      closed: (code) => ended(socket, code),
    });
    const hello: Hello = { type: "hello", protocol: protocolVersion, token, ...(name === undefined ? {} : { name }) };
    socket.send(JSON.stringify(hello));
  };

  function attempt(): void {
    enter("connecting");
    Promise.resolve().then(open).then(greet, again);
  }

  return {
    state: () => now.state,
    begin: attempt,
    say: (text) => {
      if (now.state === "connected") now.socket?.send(text);
    },
    close: () => {
      if (isOver()) return;
      now.stop?.();
      const { socket } = now;
      delete now.socket;
      enter("closed");
      socket?.close();
    },
  };
};

const firstPause = 500;

const longestPause = 30_000;

const longestSilence = 120_000;

const parse = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === "object" && message !== null ? { ...message } : undefined;
  } catch {
    return undefined;
  }
};
