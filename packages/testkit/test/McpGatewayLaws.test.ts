import { assert, describe, it } from "@effect/vitest";
import type { McpCall, McpHost, McpOutcome, McpServer } from "@cahier/ports/McpGateway";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import { type LawServer, laws, type McpGatewayHarness } from "../src/laws/McpGatewayLaws.ts";
import { mutants } from "../src/mutants/McpGatewayMutants.ts";
import * as MemoryMcpGateway from "../src/doubles/MemoryMcpGateway.ts";
import { verify, verifyMutants } from "../src/vitest.ts";

const makeHarness = Effect.sync((): McpGatewayHarness => {
  const memory = MemoryMcpGateway.make({});
  let servers = 0;
  return {
    open: Effect.succeed(memory.gateway),
    absent: serverOf("absent", false),
    serve: (allowsSampling = false) =>
      Effect.sync(() => {
        servers += 1;
        return lawServer(memory, serverOf(`server ${servers}`, allowsSampling));
      }),
  };
});

const lacks = {
  servePages: "the catalogue of a server in memory is a value, without pages and without what cannot be used",
  serveWithSecret: "a server in memory is reached without headers",
};

verify("MemoryMcpGateway", laws, makeHarness, lacks);
verifyMutants("MemoryMcpGateway", laws, mutants, makeHarness, lacks);

describe("MemoryMcpGateway", () => {
  it.effect("records what has reached a server, offers the tools that it is given, and what it is not given not", () =>
    Effect.gen(function* () {
      const tool = { name: "echo", inputSchema: { type: "object" } };
      const { gateway, called } = MemoryMcpGateway.make({
        one: { tools: [tool], call: () => Effect.succeed(known("yes")) },
      });
      const one = serverOf("one", false);
      assert.deepStrictEqual((yield* gateway.discover(one)).tools, [tool]);
      yield* gateway.call(one, { tool: "echo", arguments: { a: 1 }, timeoutMs: 10 });
      yield* gateway.call(serverOf("other", false), { tool: "echo", arguments: {}, timeoutMs: 10 });
      assert.deepStrictEqual(called, [{ serverId: "one", tool: "echo", arguments: { a: 1 } }]);
      assert.strictEqual((yield* Effect.flip(gateway.readResource(one, "a://b"))).code, "mcp.request_unsupported");
      const fault = yield* Effect.flip(gateway.list(serverOf("other", false), "prompts"));
      assert.strictEqual(fault.code, "mcp.request_initialize_failed");
    }),
  );
});

const serverOf = (id: string, allowsSampling: boolean): McpServer => ({
  id,
  endpoint: { transport: "http", url: "http://example.invalid", headers: {} },
  protocolVersion: "auto",
  allowsSampling,
});

const known = (
  text: string,
  rest?: { readonly isError?: boolean; readonly structuredContent?: { readonly said: string } },
): McpOutcome => ({
  _tag: "Known",
  answer: {
    content: [{ type: "text", text }],
    ...(rest?.structuredContent === undefined ? {} : { structuredContent: rest.structuredContent }),
    isError: rest?.isError ?? false,
  },
});

const textIn = ({ text }: McpCall["arguments"]): string => (typeof text === "string" ? text : "");

const lawServer = (memory: MemoryMcpGateway.Memory, server: McpServer): LawServer => {
  const [waiting, cancelled, killed] = [
    Deferred.makeUnsafe<void>(),
    Deferred.makeUnsafe<void>(),
    Deferred.makeUnsafe<McpOutcome>(),
  ];
  const wait = Deferred.succeed(waiting, undefined).pipe(
    Effect.andThen(Deferred.await(killed)),
    Effect.onInterrupt(() => Deferred.succeed(cancelled, undefined)),
  );
  const answers: Readonly<Record<string, (text: string, host: McpHost) => Effect.Effect<McpOutcome>>> = {
    echo: (text) => Effect.succeed(known(text, { structuredContent: { said: text } })),
    fail: (text) => Effect.succeed(known(text, { isError: true })),
    refuse: (text) => Effect.succeed({ _tag: "ServerError", code: -32_123, message: text }),
    wait: () => wait,
    ask: (text, host) => {
      const asked =
        host.ask?.({ serverId: server.id, message: text, schema: {} }) ?? Effect.succeed({ action: "cancel" });
      return Effect.map(asked, (reply) =>
        known(`${reply.action} ${JSON.stringify("content" in reply ? reply.content : {})}`),
      );
    },
    sample: (_, host) =>
      Effect.map(Effect.result(host.sample?.(server.id, {}) ?? Effect.succeed("it may not ask")), (reply) =>
        known(JSON.stringify(reply)),
      ),
  };
  memory.servers.set(server.id, {
    call: (call, host) => {
      if (call.tool === "progress") {
        for (const done of [1, 2]) call.onProgress?.({ done, total: 2 });
        return Effect.succeed(known("done"));
      }
      return answers[call.tool]?.(textIn(call.arguments), host) ?? Effect.succeed(known(""));
    },
    resources: [{ uri: "law://one" }, { uri: "law://two" }],
    resourceTemplates: [{ uriTemplate: "law://{name}" }],
    prompts: [{ name: "greet" }],
    readResource: () => Effect.succeed({ contents: [{ text: "the text" }] }),
    getPrompt: (_, given) => Effect.succeed({ text: `Greet ${given["who"]}.` }),
  });
  return {
    server,
    received: Effect.sync(() =>
      memory.called.filter(({ serverId }) => serverId === server.id).map((call) => textIn(call.arguments)),
    ),
    waiting: Deferred.await(waiting),
    cancelled: Deferred.await(cancelled),
    kill: Deferred.succeed(killed, { _tag: "Unknown", code: "mcp.call_response_failed", detail: "it has ended" }),
  };
};
