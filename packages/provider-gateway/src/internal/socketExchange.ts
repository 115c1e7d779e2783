/**
 * Asks a server over the socket of a session.
 */
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import type { SocketTransport } from "../transport/SocketTransport.ts";
import { type Exchange, networkOf, type Patience } from "./Exchange.ts";
import type { Observer } from "./Recorder.ts";
import { notConfigured } from "./route.ts";
import type { SocketObserver } from "./SocketSession.ts";

/** Not configured where the protocol has no socket, or nobody gives the gateway a transport for one. */
export const make = (
  sockets: Option.Option<SocketTransport["Service"]>,
  { firstByteMs, idleMs, openMs }: Patience,
): Exchange =>
  Effect.fnUntraced(function* (session, request, onDelta, way) {
    const { conversation, protocol } = session;
    if (protocol.socket === undefined || conversation === undefined) {
      return yield* notConfigured("format", `${protocol.format} does not go over a WebSocket`);
    }
    if (Option.isNone(sockets)) return yield* notConfigured("endpoint", "this gateway has no transport for WebSockets");
    const url = new URL(way.url);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const headers = { ...protocol.socket.headers, ...way.auth };
    return yield* conversation.call(request, onDelta, {
      key: JSON.stringify([url, headers]),
      open: sockets.value.open({ url, headers, openMs, ...networkOf(request) }),
      deadlines: { firstByteMs, idleMs },
      observer: way.observer && observerOf(way.observer, headers),
    });
  });

/** A socket is recorded as one exchange of a call, whatever frames that takes. */
const observerOf = (observer: Observer, headers: Readonly<Record<string, string>>): SocketObserver => ({
  sent: (frame) => observer.sent("WEBSOCKET", headers, `${frame}\n`),
  text: (text) => {
    observer.head({ status: 101, headers: {} });
    observer.text(text);
  },
  refused: (head, body) => {
    observer.sent("WEBSOCKET", headers, "");
    observer.head(head);
    observer.text(body);
  },
});
