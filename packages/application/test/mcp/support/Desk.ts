/**
 * A process that knows MCP servers: a storage that others may share, and servers that are values.
 */
import * as mcpSource from "@cahier/application/mcp/mcpSource";
import * as McpServers from "@cahier/application/mcp/McpServers";
import { CallId, RunId, rootInvocation } from "@cahier/domain/identity/Identity";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { McpGateway, type McpHost, type McpTool } from "@cahier/ports/McpGateway";
import { Unavailable } from "@cahier/ports/StorageFault";
import type { SourceCall } from "@cahier/ports/ToolSource";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import * as MemoryMcpGateway from "@cahier/testkit/doubles/MemoryMcpGateway";
import { ToolId } from "@cahier/domain/tool/ToolId";
import * as Effect from "effect/Effect";

export interface Options {
  readonly storage?: MemoryDocumentStore.Storage;
  readonly memory?: MemoryMcpGateway.Memory;
  readonly documents?: (documents: DocumentStore["Service"]) => DocumentStore["Service"];
}

/** One process. `closed` are the ids whose connections were ended, `hosts` those that discoveries were given. */
export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const storage = options.storage ?? MemoryDocumentStore.makeStorage();
  const memory = options.memory ?? MemoryMcpGateway.make({});
  const closed: Array<string> = [];
  const hosts: Array<McpHost> = [];
  const asked: Array<string> = [];
  const plain = MemoryDocumentStore.make(storage);
  const documents = options.documents === undefined ? plain : options.documents(plain);
  const gateway = McpGateway.of({
    ...memory.gateway,
    discover: (server, host) => {
      asked.push(server.id);
      if (host !== undefined) hosts.push(host);
      return memory.gateway.discover(server);
    },
    close: (id) => {
      closed.push(id);
      return memory.gateway.close(id);
    },
  });
  const servers = yield* McpServers.make.pipe(
    Effect.provideService(DocumentStore, documents),
    Effect.provideService(McpGateway, gateway),
  );
  const source = yield* mcpSource.make.pipe(
    Effect.provideService(McpServers.McpServers, servers),
    Effect.provideService(McpGateway, gateway),
  );
  return { storage, memory, documents: plain, servers, source, closed, hosts, asked };
});

export type Desk = Effect.Success<ReturnType<typeof make>>;

export const endpoint = { transport: "http", url: "https://files.example/mcp", headers: {} } as const;

/** A tool of a server. */
export const tool = (name: string, more: Partial<McpTool> = {}): McpTool => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object" },
  ...more,
});

/** Answers of servers. */
export const says = (text: string) =>
  ({ _tag: "Known", answer: { content: [{ type: "text", text }], isError: false } }) as const;

/** Registers a server that is there, with its tools found and the named ones permitted; gives its id. */
export const register = Effect.fnUntraced(function* (
  desk: Desk,
  server: Partial<MemoryMcpGateway.MemoryServer> = {},
  permissions: Readonly<Record<string, "ask" | "allow">> = {},
  settings: object = {},
) {
  const { registration } = yield* desk.servers.create({ displayName: "Files", endpoint, ...settings });
  const { id } = registration;
  desk.memory.servers.set(id, {
    tools: [tool("read"), tool("write")],
    call: ({ tool: name }) => Effect.succeed(says(name)),
    ...server,
  });
  yield* desk.servers.setState(id, "active");
  yield* desk.servers.discover(id);
  yield* Effect.forEach(Object.entries(permissions), ([name, permission]) =>
    desk.servers.setPermission(id, name, permission),
  );
  return id;
});

/** Gives a server other tools. */
export const offer = (desk: Desk, id: string, tools: ReadonlyArray<McpTool>): void => {
  const server = desk.memory.servers.get(id);
  if (server !== undefined) desk.memory.servers.set(id, { ...server, tools });
};

/** A call of a server's tool that the gate has let through. */
export const callOf = (
  id: string,
  name: string,
  given: JsonObject = {},
  more: Partial<SourceCall> = {},
): SourceCall => ({
  toolId: ToolId.make(`mcp/${id}:${name}`),
  arguments: given,
  runId: RunId.make(`run_${"0".repeat(32)}`),
  invocationId: rootInvocation,
  callId: CallId.make("call"),
  key: "call_1",
  scene: "chat",
  timeoutMs: 20_000,
  approved: true,
  ask: () => Effect.succeed({ action: "cancel" }),
  sample: () => Effect.fail({ code: "tool.denied", message: "No model is asked here." }),
  ...more,
});

/** A storage that cannot be read. */
export const unreadable = new Unavailable({ operation: "read", kind: "other", detail: "the disk is gone" });

/** The code of a failure. */
export const codeOf = <A, R>(effect: Effect.Effect<A, { readonly reason: { readonly code: string } }, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason.code);
