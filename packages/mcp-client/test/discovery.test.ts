import { assert, describe, it } from "@effect/vitest";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { lookup } from "node:dns/promises";
import * as Gateway from "./support/Gateway.ts";
import * as Loopback from "./support/Loopback.ts";
import * as Raw from "./support/Raw.ts";

const tool = (name: string, rest?: object) => ({ name, inputSchema: { type: "object" }, ...rest });

/** The code by which discovery fails at a server that lists so; `page` is the number of the request. */
const codeWith = (list: (page: number) => unknown) =>
  Effect.gen(function* () {
    let page = 0;
    const { url } = yield* Raw.serve((asked, response) => {
      if (asked.method !== "tools/list") return false;
      page += 1;
      Raw.result(response, asked.id, list(page));
      return true;
    });
    const gateway = yield* Gateway.make();
    const fault = yield* Effect.flip(gateway.discover(Gateway.http(url, { protocolVersion: "2025-11-25" })));
    return { code: fault.code, detail: fault.detail, pages: page };
  });

describe("discovery", () => {
  it.live("ends at a cursor that it has seen, and at the 32nd page of a list that goes on", () =>
    Effect.gen(function* () {
      const circle = yield* codeWith((page) => ({ tools: [], nextCursor: page % 2 === 0 ? "a" : "b" }));
      assert.deepStrictEqual([circle.code, circle.pages], ["mcp.discovery_pages_exceeded", 3]);
      const endless = yield* codeWith((page) => ({ tools: [], nextCursor: `${page}` }));
      assert.deepStrictEqual([endless.code, endless.pages], ["mcp.discovery_pages_exceeded", 32]);
    }),
  );

  it.live("takes at most 512 tools, 8 MiB of them, and 4 MiB in one response", () =>
    Effect.gen(function* () {
      const many = yield* codeWith(() => ({ tools: Array.from({ length: 513 }, (_, index) => tool(`t${index}`)) }));
      assert.strictEqual(many.code, "mcp.discovery_tools_exceeded");
      const large = tool("large", { description: "x".repeat(3 * 1024 * 1024) });
      const catalogue = yield* codeWith((page) => ({ tools: [large], nextCursor: `${page}` }));
      assert.deepStrictEqual([catalogue.code, catalogue.pages], ["mcp.discovery_catalogue_too_large", 3]);
      const response = yield* codeWith(() => ({ tools: [tool("x", { description: "x".repeat(5 * 1024 * 1024) })] }));
      assert.deepStrictEqual(
        [response.code, response.detail],
        ["mcp.discovery_list_failed", "the response is larger than 4 MiB"],
      );
    }),
  );

  it.live("leaves out a tool that cannot be used, or what of it cannot, and says why", () =>
    Effect.gen(function* () {
      const schemas: ReadonlyArray<readonly [tool: unknown, code: string]> = [
        ["a tool", "mcp.discovery_tool_invalid"],
        [{ inputSchema: { type: "object" } }, "mcp.discovery_tool_invalid"],
        [{ name: "no schema" }, "mcp.discovery_tool_invalid"],
        [tool(""), "mcp.discovery_tool_name_invalid"],
        [tool("n".repeat(257)), "mcp.discovery_tool_name_invalid"],
        [tool("large", { description: "x".repeat(256 * 1024) }), "mcp.discovery_tool_too_large"],
        [{ name: "text", inputSchema: { type: "string" } }, "mcp.discovery_input_schema_invalid"],
        [
          { name: "broken", inputSchema: { type: "object", properties: { a: { type: 7 } } } },
          "mcp.discovery_input_schema_invalid",
        ],
        [
          { name: "remote", inputSchema: { type: "object", $ref: "https://example.com/schema.json" } },
          "mcp.discovery_schema_reference_remote",
        ],
        [tool("output", { outputSchema: { type: "nothing" } }), "mcp.discovery_output_schema_dropped"],
      ];
      const { url } = yield* Raw.serve((asked, response) => {
        if (asked.method !== "tools/list") return false;
        const tools = [...schemas.map(([stated]) => stated), tool("twice"), tool("twice"), tool("good")];
        Raw.result(response, asked.id, { tools });
        return true;
      });
      const gateway = yield* Gateway.make();
      const { tools, diagnostics } = yield* gateway.discover(Gateway.http(url, { protocolVersion: "2025-11-25" }));
      assert.deepStrictEqual(
        diagnostics.map(({ code }) => code),
        [...schemas.map(([, code]) => code), "mcp.discovery_tool_duplicate"],
      );
      assert.deepStrictEqual(
        tools.map(({ name, outputSchema }) => [name, outputSchema]),
        [
          ["output", undefined],
          ["good", undefined],
        ],
      );
    }),
  );

  it.live("fails when the list is none, and says why", () =>
    Effect.gen(function* () {
      const fault = yield* codeWith(() => ({ tools: "all" }));
      assert.strictEqual(fault.code, "mcp.discovery_list_failed");
      assert.strictEqual(fault.detail, "the answer to tools/list has no list of tools");
    }),
  );

  it.live("fails at a server that does not say what it is", () =>
    Effect.gen(function* () {
      const { url } = yield* Raw.serve((asked, response) => {
        if (asked.method !== "initialize") return false;
        Raw.result(response, asked.id, { protocolVersion: asked.params["protocolVersion"], capabilities: {} });
        return true;
      });
      const gateway = yield* Gateway.make();
      const fault = yield* Effect.flip(gateway.discover(Gateway.http(url, { protocolVersion: "2025-11-25" })));
      assert.strictEqual(fault.code, "mcp.discovery_peer_info_missing");
    }),
  );

  it.live("fails at a server that has another version of the protocol than the stated one", () =>
    Effect.gen(function* () {
      const { url } = yield* Raw.serve((asked, response) => {
        if (asked.method !== "initialize") return false;
        const serverInfo = { name: "raw", version: "1" };
        Raw.result(response, asked.id, { protocolVersion: "2025-03-26", capabilities: {}, serverInfo });
        return true;
      });
      const gateway = yield* Gateway.make();
      const fault = yield* Effect.flip(gateway.discover(Gateway.http(url, { protocolVersion: "2025-06-18" })));
      assert.strictEqual(fault.code, "mcp.discovery_initialize_failed");
      assert.strictEqual(fault.detail, "Server's protocol version is not supported: 2025-03-26");
    }),
  );

  it.live("asks a server without tools for none", () =>
    Effect.gen(function* () {
      const { url, requests } = yield* Raw.serve((asked, response) => {
        if (asked.method !== "initialize") return false;
        const serverInfo = { name: "raw", version: "1" };
        Raw.result(response, asked.id, { protocolVersion: "2025-11-25", capabilities: {}, serverInfo });
        return true;
      });
      const gateway = yield* Gateway.make();
      const server = Gateway.http(url, { protocolVersion: "2025-11-25" });
      assert.deepStrictEqual((yield* gateway.discover(server)).tools, []);
      const outcome = yield* gateway.call(server, { tool: "echo", arguments: {}, timeoutMs: 1000 });
      assert.strictEqual("code" in outcome ? outcome.code : outcome._tag, "mcp.call_tools_capability_missing");
      assert.deepStrictEqual(yield* gateway.list(server, "resources"), []);
      assert.strictEqual((yield* Effect.flip(gateway.readResource(server, "a:b"))).code, "mcp.request_unsupported");
      assert.isFalse(requests.some(({ body }) => body.includes("tools/")));
    }),
  );

  it.effect("waits 30 s for a server to be ready, and 60 s for a page", () =>
    Effect.gen(function* () {
      for (const [method, seconds, code] of [
        ["initialize", 30, "mcp.discovery_initialize_timeout"],
        ["tools/list", 60, "mcp.discovery_list_timeout"],
      ] as const) {
        const reached = yield* Deferred.make<void>();
        const { url } = yield* Raw.serve((asked) => {
          if (asked.method !== method) return false;
          Deferred.doneUnsafe(reached, Effect.void);
          return true;
        });
        const gateway = yield* Gateway.make();
        const server = Gateway.http(url, { protocolVersion: "2025-11-25" });
        const asking = yield* Effect.forkChild(Effect.flip(gateway.discover(server)));
        yield* Deferred.await(reached);
        yield* TestClock.adjust(`${seconds - 1} seconds`);
        assert.isUndefined(asking.pollUnsafe(), `${method} did not wait`);
        yield* TestClock.adjust("1 seconds");
        assert.strictEqual((yield* Fiber.join(asking)).code, code);
      }
    }),
  );

  it.effect("waits 120 s for all pages together, however fast each comes", () =>
    Effect.gen(function* () {
      const pages: Array<() => void> = [];
      const asked = Array.from({ length: 4 }, () => Deferred.makeUnsafe<void>());
      const { url } = yield* Raw.serve(({ method, id }, response) => {
        if (method !== "tools/list") return false;
        const page = pages.push(() => Raw.result(response, id, { tools: [], nextCursor: `${pages.length}` }));
        Deferred.doneUnsafe(asked[page - 1] ?? Deferred.makeUnsafe<void>(), Effect.void);
        return true;
      });
      const gateway = yield* Gateway.make();
      const asking = yield* Effect.forkChild(
        Effect.flip(gateway.discover(Gateway.http(url, { protocolVersion: "2025-11-25" }))),
      );
      for (const [page, reached] of asked.slice(0, 3).entries()) {
        yield* Deferred.await(reached);
        yield* TestClock.adjust("40 seconds");
        if (page < 2) pages[page]?.();
      }
      assert.strictEqual((yield* Fiber.join(asking)).code, "mcp.discovery_list_timeout");
    }),
  );
});

describe("addresses", () => {
  it.live("that are private are refused unless the network of the server is", () =>
    Effect.gen(function* () {
      const { url, requests, port } = yield* Raw.serve(() => false);
      const gateway = yield* Gateway.make();
      const named = (yield* Effect.promise(() => lookup("localhost"))).address;
      for (const host of ["127.0.0.1", "localhost"]) {
        const endpoint = { transport: "http", url: `http://${host}:${port}/mcp`, headers: {} } as const;
        const fault = yield* Effect.flip(gateway.discover({ ...Gateway.http(url), endpoint }));
        assert.strictEqual(fault.code, "mcp.discovery_initialize_failed");
        assert.include(fault.detail, `${host === "localhost" ? named : host} is a loopback or private address`);
      }
      assert.lengthOf(requests, 0);
    }),
  );

  it.live("of metadata services are refused on every network", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.make();
      const fault = yield* Effect.flip(gateway.discover(Gateway.http("http://169.254.169.254/mcp")));
      assert.include(fault.detail, "169.254.169.254 is an address that no server is reached at");
      const outcome = yield* gateway.call(Gateway.http("http://[::ffff:169.254.169.254]/mcp"), {
        tool: "x",
        arguments: {},
        timeoutMs: 1000,
      });
      assert.strictEqual("code" in outcome ? outcome.code : outcome._tag, "mcp.call_initialize_failed");
    }),
  );

  it.live("at which nothing listens are told as that", () =>
    Effect.gen(function* () {
      const port = yield* Loopback.unusedPort;
      const gateway = yield* Gateway.make();
      const fault = yield* Effect.flip(gateway.list(Gateway.http(`http://127.0.0.1:${port}/mcp`), "prompts"));
      assert.strictEqual(fault.code, "mcp.request_initialize_failed");
      assert.include(fault.detail, "the connection failed (ECONNREFUSED)");
    }),
  );
});
