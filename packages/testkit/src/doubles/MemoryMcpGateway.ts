/**
 * A correct McpGateway over servers that are values: the servers of application tests.
 *
 * Owns the outcomes that do not depend on a wire, and the record of what was called. Does not own any protocol: what a
 * server offers and answers is given to it.
 */
import {
  McpFault,
  McpGateway,
  type McpCall,
  type McpCatalogue,
  type McpHost,
  type McpOutcome,
  type McpServer,
  type McpTool,
} from "@cahier/ports/McpGateway";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Schema from "effect/Schema";
import * as Patience from "../internal/doubles/Patience.ts";

/**
 * One server. `call` is interrupted when nobody waits any more; its host asks nobody for a server that may not. `discover`
 * replaces the catalogue of `tools`. Members that are absent offer nothing.
 */
export interface MemoryServer {
  readonly tools?: ReadonlyArray<McpTool>;
  readonly discover?: Effect.Effect<McpCatalogue, McpFault>;
  readonly call: (call: McpCall, host: McpHost) => Effect.Effect<McpOutcome>;
  readonly resources?: ReadonlyArray<Schema.Json>;
  readonly resourceTemplates?: ReadonlyArray<Schema.Json>;
  readonly prompts?: ReadonlyArray<Schema.Json>;
  readonly readResource?: (uri: string) => Effect.Effect<Schema.Json, McpFault>;
  readonly getPrompt?: (name: string, given: Readonly<Record<string, string>>) => Effect.Effect<Schema.Json, McpFault>;
}

/** A call that has reached a server. */
export interface Called {
  readonly serverId: string;
  readonly tool: string;
  readonly arguments: McpCall["arguments"];
}

export interface Memory {
  readonly gateway: McpGateway["Service"];
  /** The servers by id, to be changed at will: one that is absent cannot be reached. */
  readonly servers: Map<string, MemoryServer>;
  readonly called: ReadonlyArray<Called>;
}

/** Makes the gateway over servers by id. */
export const make = (given: Readonly<Record<string, MemoryServer>>): Memory => {
  const servers = new Map(Object.entries(given));
  const called: Array<Called> = [];
  const open = new Map<string, Deferred.Deferred<McpOutcome>>();

  const closed = (serverId: string) => {
    const known = open.get(serverId) ?? Deferred.makeUnsafe<McpOutcome>();
    open.set(serverId, known);
    return known;
  };

  const reach = (server: McpServer, code: string) =>
    Effect.suspend(() => {
      const found = servers.get(server.id);
      return found === undefined ? Effect.fail(faultOf(code, absent)) : Effect.succeed(found);
    });

  const call = Effect.fnUntraced(function* (server: McpServer, asked: McpCall, host: McpHost | undefined) {
    const found = servers.get(server.id);
    if (found === undefined) return notSent("mcp.call_initialize_failed", absent);
    if (new TextEncoder().encode(JSON.stringify(asked.arguments)).length > argumentBytes) {
      return notSent("mcp.call_arguments_too_large", "the arguments are larger than 256 KiB");
    }
    called.push({ serverId: server.id, tool: asked.tool, arguments: asked.arguments });
    const patience = yield* Patience.make(asked.timeoutMs);
    return yield* found
      .call(asked, hostOf(server, host, patience))
      .pipe(
        Effect.raceFirst(Effect.as(patience.expired, unknown("mcp.call_timeout", "there was no answer in time"))),
        Effect.raceFirst(Deferred.await(closed(server.id))),
      );
  });

  return {
    servers,
    called,
    gateway: McpGateway.of({
      discover: (server) =>
        Effect.flatMap(
          reach(server, "mcp.discovery_initialize_failed"),
          (found) => found.discover ?? catalogueOf(server, found),
        ),
      call,
      list: (server, list) => Effect.map(reach(server, "mcp.request_initialize_failed"), (found) => found[list] ?? []),
      readResource: (server, uri) =>
        Effect.flatMap(
          reach(server, "mcp.request_initialize_failed"),
          (found) => found.readResource?.(uri) ?? unsupported,
        ),
      getPrompt: (server, name, given) =>
        Effect.flatMap(
          reach(server, "mcp.request_initialize_failed"),
          (found) => found.getPrompt?.(name, given) ?? unsupported,
        ),
      close: (serverId) =>
        Effect.sync(() => {
          Deferred.doneUnsafe(
            closed(serverId),
            Effect.succeed(unknown("mcp.call_cancelled", "the connection was closed on this side")),
          );
          open.delete(serverId);
        }),
    }),
  };
};

/** The gateway as a layer. */
export const layer = (given: Readonly<Record<string, MemoryServer>>): Layer.Layer<McpGateway> =>
  Layer.sync(McpGateway, () => make(given).gateway);

const argumentBytes = 256 * 1024;

const absent = "the server cannot be reached";

const catalogueOf = (server: McpServer, { tools }: MemoryServer): Effect.Effect<McpCatalogue> =>
  Effect.succeed({
    peer: { name: server.id, version: "1" },
    protocolVersion: "2026-07-28",
    tools: tools ?? [],
    diagnostics: [],
  });

const hostOf = (server: McpServer, host: McpHost | undefined, patience: Patience.Patience): McpHost => {
  const { ask, sample } = host ?? {};
  return {
    ...(ask === undefined ? {} : { ask: (question) => patience.paused(ask(question)) }),
    ...(sample === undefined || !server.allowsSampling
      ? {}
      : { sample: (serverId, request) => patience.paused(sample(serverId, request)) }),
  };
};

const faultOf = (code: string, detail: string) => new McpFault({ code, detail });

const unsupported = Effect.fail(faultOf("mcp.request_unsupported", "the server does not offer it"));

const notSent = (code: string, detail: string): McpOutcome => ({ _tag: "NotSent", code, detail });

const unknown = (code: string, detail: string): McpOutcome => ({ _tag: "Unknown", code, detail });
