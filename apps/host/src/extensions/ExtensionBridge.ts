/**
 * The door for extensions that live elsewhere: a WebSocket server on this machine's loopback address.
 *
 * Owns who may connect: how many, from which pages, and by which path. Each connection is a session of the bridge, and its tools
 * are registered for as long as it is there. Does not own what is said in it, nor which tool a run may call.
 */
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { ToolId } from "@cahier/domain/tool/ToolId";
import { maxMessageBytes } from "@cahier/host-api/extension/BridgeLimits";
import * as BridgeSession from "@cahier/host-api/extension/BridgeSession";
import { fromWebSocket } from "@cahier/host-api/extension/BridgeSocket";
import { ExtensionTools } from "@cahier/ports/ExtensionTools";
import * as Deferred from "effect/Deferred";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as FiberSet from "effect/FiberSet";
import * as Schema from "effect/Schema";
import type * as Scope from "effect/Scope";
import { WebSocketServer } from "ws";
import { admits } from "./origins.ts";

/** `port` 0 takes a free one. `origins` are the pages that may connect; without any, those of this machine. */
export interface Options extends BridgeSession.Options {
  readonly port: number;
  readonly origins?: ReadonlyArray<string>;
}

/** The port could not be listened at. `reason` is the system's code, such as `EADDRINUSE`. */
export class PortFault extends Schema.TaggedError<PortFault>()("PortFault", { reason: Schema.String }) {}

export interface ExtensionBridge {
  /** What a client connects to. */
  readonly url: string;
  /** Waits until all of these tools are registered and switched on; gives those that are not after the time. */
  readonly awaitTools: (toolIds: ReadonlyArray<ToolId>, within: Duration.Input) => Effect.Effect<ReadonlyArray<ToolId>>;
}

/** Where clients connect. */
export const path = "/extensions";

/** Most connections at once. */
export const maxConnections = 16;

/**
 * Takes connections until the scope ends. Then each is told that the host goes away, and is cut where it does not go within a
 * second; their tools are gone by then, and calls that are not answered are lost.
 */
export const make = Effect.fn("ExtensionBridge.make")(function* (
  options: Options,
): Effect.fn.Return<ExtensionBridge, PortFault, ExtensionTools | Scope.Scope> {
  const registry = yield* ExtensionTools;
  const { changed, tools } = watched(registry);
  const sockets = new WebSocketServer(limits);
  const sessions = yield* FiberSet.make<void>();
  const serve = yield* FiberSet.runtime(sessions)();
  sockets.on("connection", (socket) => serve(BridgeSession.serve(tools, fromWebSocket(socket), options)));
  const server = yield* Effect.acquireRelease(listening(options.port), (opened) =>
    Effect.gen(function* () {
      const closed = Effect.callback<void>((resume) => void opened.close(() => resume(Effect.void)));
      opened.removeAllListeners("upgrade").on("upgrade", (_, stream) => refuse(stream, 503));
      yield* FiberSet.clear(sessions);
      opened.closeAllConnections();
      yield* closed;
    }),
  );
  server.on("upgrade", (request, stream, head) => {
    const status = refusalOf(request, options, sockets.clients.size);
    if (status !== undefined) return refuse(stream, status);
    return sockets.handleUpgrade(request, stream, head, (socket) => sockets.emit("connection", socket, request));
  });

  const missing = (toolIds: ReadonlyArray<ToolId>) =>
    Effect.map(registry.list, (listed) => {
      const there = new Set(listed.filter(({ enabled }) => enabled).map(({ toolId }) => toolId));
      return toolIds.filter((toolId) => !there.has(toolId));
    });
  const allThere = (toolIds: ReadonlyArray<ToolId>): Effect.Effect<ReadonlyArray<ToolId>> =>
    Effect.suspend(() => {
      const next = changed();
      return Effect.flatMap(missing(toolIds), (absent) =>
        absent.length === 0 ? Effect.succeed(absent) : Effect.andThen(next, allThere(toolIds)),
      );
    });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    awaitTools: (toolIds, within) =>
      Effect.timeoutOrElse(allThere(toolIds), { duration: within, orElse: () => missing(toolIds) }),
  };
});

/** A peer that does not agree within a second (`closeTimeout`, in milliseconds) that its connection is closed is cut off. */
const limits = { noServer: true, maxPayload: maxMessageBytes, closeTimeout: 1_000 };

/** The registry, and when something of it changes next. Whoever waits has asked before it looks, so that nothing is missed. */
const watched = (registry: ExtensionTools["Service"]) => {
  const change = { next: Deferred.makeUnsafe<void>() };
  const tell = Effect.sync(() => {
    const { next } = change;
    change.next = Deferred.makeUnsafe();
    Deferred.doneUnsafe(next, Effect.void);
  });
  const tools: ExtensionTools["Service"] = {
    ...registry,
    register: (tool, run) => Effect.tap(registry.register(tool, run), tell),
    setEnabled: (toolId, enabled) => Effect.tap(registry.setEnabled(toolId, enabled), tell),
  };
  return { tools, changed: () => Deferred.await(change.next) };
};

const listening = (port: number): Effect.Effect<Server, PortFault> =>
  Effect.callback((resume) => {
    const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (_, response) => {
      response.writeHead(426, { connection: "close", upgrade: "websocket" }).end();
    });
    server.maxConnections = 2 * maxConnections;
    server.once("error", (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(new PortFault({ reason: error.code ?? error.name }))),
    );
    server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)));
  });

/** The status of HTTP that says why a connection is not taken; undefined when it is. */
const refusalOf = (
  { headers, url }: IncomingMessage,
  { origins = [] }: Options,
  connections: number,
): number | undefined => {
  if (url?.split("?")[0] !== path) return 404;
  if (!admits(headers.origin, origins)) return 403;
  return connections >= maxConnections ? 503 : undefined;
};

const refuse = (stream: Duplex, status: number): void => {
  stream.on("error", () => undefined);
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  stream.once("finish", () => stream.destroy());
};
