/**
 * A host of the bridge on a real WebSocket server of the loopback interface, and pages for a browser.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ExtensionTools } from "@cahier/ports/ExtensionTools";
import * as Effect from "effect/Effect";
import * as FiberSet from "effect/FiberSet";
import * as Redacted from "effect/Redacted";
import { WebSocketServer } from "ws";
import { maxMessageBytes } from "../../src/extension/BridgeLimits.ts";
import * as BridgeSession from "../../src/extension/BridgeSession.ts";
import { fromWebSocket } from "../../src/extension/BridgeSocket.ts";
import * as RawPeer from "./RawPeer.ts";

export interface WebSocketHost {
  readonly port: number;
  readonly url: string;
  /** Ends each connection without a word to anybody. */
  readonly cut: () => void;
  /** How many connections are served now. */
  readonly served: () => number;
}

/** `pages` are what is served over HTTP: text by path, scripts where the path ends with `.js`. */
export const make = Effect.fnUntraced(function* (
  tools: ExtensionTools["Service"],
  pages: Readonly<Record<string, string>> = {},
) {
  const fork = yield* FiberSet.makeRuntime();
  const serving = { count: 0 };
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    response.setHeader("content-type", path.endsWith(".js") ? "text/javascript" : "text/html");
    response.end(pages[path] ?? "");
  });
  const sockets = new WebSocketServer({ server, maxPayload: maxMessageBytes });
  sockets.on("connection", (socket) => {
    serving.count += 1;
    const session = BridgeSession.serve(tools, fromWebSocket(socket), { token: Redacted.make(RawPeer.token) });
    fork(
      Effect.ensuring(
        session,
        Effect.sync(() => {
          serving.count -= 1;
        }),
      ),
    );
  });
  const cut = () => {
    for (const socket of sockets.clients) socket.terminate();
  };
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        cut();
        sockets.close();
        server.closeAllConnections();
        server.close(() => resume(Effect.void));
      }),
  );
  const { port } = server.address() as AddressInfo;
  const host: WebSocketHost = { port, url: `ws://127.0.0.1:${port}`, cut, served: () => serving.count };
  return host;
});
