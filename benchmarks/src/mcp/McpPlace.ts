/**
 * What a process needs of MCP servers, as the program composes it: registrations and catalogues in a storage, and the gateway.
 */
import * as McpServers from "@cahier/application/mcp/McpServers";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import type { McpGateway } from "@cahier/ports/McpGateway";
import * as McpClient from "@cahier/mcp-client/McpClient";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Runtime from "../runtime/Runtime.ts";

/** The gateway to real servers; its sessions end with the layer. */
export const gateway: Layer.Layer<McpGateway> = McpClient.layer().pipe(Layer.provide(Runtime.noSecrets));

/** Registrations in a storage, and the way to their servers. */
export const layer = (
  documents: Layer.Layer<DocumentStore>,
  way: Layer.Layer<McpGateway>,
): Layer.Layer<McpServers.McpServers | McpGateway | DocumentStore> =>
  McpServers.layer.pipe(Layer.provideMerge(way), Layer.provideMerge(documents));

/** How a server is reached, and what people call it. */
export interface Stated {
  readonly displayName: string;
  readonly url: string;
  readonly protocolVersion: "auto" | "2026-07-28" | "2025-11-25";
}

/** Registers a server, asks it for its tools and permits all of them; gives the registration's id. */
export const register = Effect.fn("Benchmark.registerServer")(function* (stated: Stated) {
  const servers = yield* McpServers.McpServers;
  const { displayName, protocolVersion, url } = stated;
  const { registration } = yield* servers.create({
    displayName,
    protocolVersion,
    endpoint: { transport: "http", url, network: "private" },
  });
  const { id } = registration;
  yield* servers.setState(id, "active");
  const { tools } = yield* servers.discover(id);
  yield* Effect.forEach(tools, ({ tool }) => servers.setPermission(id, tool.name, "allow"));
  return id;
});
