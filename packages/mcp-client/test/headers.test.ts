import { assert, describe, it } from "@effect/vitest";
import { createMcpHandler } from "@modelcontextprotocol/server";
import * as Effect from "effect/Effect";
import { headerFault } from "../src/internal/headerFault.ts";
import * as Gateway from "./support/Gateway.ts";
import * as LawServer from "./support/LawServer.ts";
import * as Loopback from "./support/Loopback.ts";

const withHeader = (name: unknown, type = "string") => ({ type, "x-mcp-header": name });

const objectOf = (properties: object) => ({
  type: "object",
  properties: properties as Readonly<Record<string, never>>,
});

const wrong: ReadonlyArray<readonly [what: string, schema: ReturnType<typeof objectOf>]> = [
  ["an empty name", objectOf({ a: withHeader("") })],
  ["a name that is none", objectOf({ a: withHeader(7) })],
  ["a name with a space", objectOf({ a: withHeader("my region") })],
  ["an object", objectOf({ a: withHeader("a", "object") })],
  ["a number, which can be written in many ways", objectOf({ a: withHeader("a", "number") })],
  ["one name twice, in whatever case", objectOf({ a: withHeader("Region"), b: withHeader("region") })],
  ["an item of a list", objectOf({ a: { type: "array", items: withHeader("a") } })],
  ["a part of a choice", objectOf({ a: { anyOf: [withHeader("a")] } })],
];

describe("headers that repeat arguments", () => {
  for (const [what, schema] of wrong) {
    it(`may not be asked for ${what}`, () => {
      assert.isString(headerFault(schema));
    });
  }

  it("may be asked for plain arguments, at any depth, and an argument may have the name of the annotation", () => {
    const inner = objectOf({ b: withHeader("inner", "integer") });
    assert.isUndefined(headerFault(objectOf({ a: withHeader("outer"), inner, "x-mcp-header": { type: "object" } })));
  });

  it.live("are sent as the schema says, and a tool that asks for them wrongly is left out with a diagnostic", () =>
    Effect.gen(function* () {
      const tools = [
        { name: "echo", inputSchema: objectOf({ text: withHeader("Text") }) },
        { name: "bad", inputSchema: objectOf({ text: withHeader("") }) },
      ];
      const factory = LawServer.make(
        { pages: [tools], isEndless: false },
        () => undefined,
        () => "",
      );
      const { url, requests } = yield* Loopback.serveWeb(createMcpHandler(factory).fetch);
      const gateway = yield* Gateway.make();
      const server = Gateway.http(url);
      const { tools: found, diagnostics } = yield* gateway.discover(server);
      assert.deepStrictEqual(
        found.map(({ name }) => name),
        ["echo"],
      );
      assert.deepStrictEqual(diagnostics, [
        { code: "mcp.discovery_header_invalid", tool: "bad", detail: "a header has a name that none can have" },
      ]);
      yield* gateway.call(server, { tool: "echo", arguments: { text: "repeated" }, timeoutMs: 10_000 });
      assert.strictEqual(requests.at(-1)?.headers["mcp-param-text"], "repeated");
    }),
  );

  it.live(
    "are sent to a server that misses them, by who has not asked it for its tools, and each call is made once",
    () =>
      Effect.gen(function* () {
        const tools = [{ name: "echo", inputSchema: objectOf({ text: withHeader("Text") }) }];
        const called: Array<string> = [];
        const factory = LawServer.make(
          { pages: [tools], isEndless: false },
          (line) => void called.push(line),
          () => "",
        );
        const handler = createMcpHandler(factory);
        const { url, requests } = yield* Loopback.serveWeb(async (request) => {
          const isMissed = request.headers.get("mcp-method") === "tools/call" && !request.headers.has("mcp-param-text");
          if (!isMissed) return handler.fetch(request);
          const { id } = (await request.json()) as { readonly id: number };
          const error = { code: -32020, message: "the header Mcp-Param-Text is missing" };
          return Response.json({ jsonrpc: "2.0", id, error }, { status: 400 });
        });
        const gateway = yield* Gateway.make();
        const server = Gateway.http(url, { protocolVersion: "2026-07-28" });
        const heard = () =>
          requests.flatMap(({ headers }) =>
            headers["mcp-method"]?.includes("tools/") === true
              ? [[headers["mcp-method"], headers["mcp-param-text"]]]
              : [],
          );
        const first = yield* gateway.call(server, { tool: "echo", arguments: { text: "one" }, timeoutMs: 10_000 });
        assert.strictEqual(first._tag, "Known");
        const second = yield* gateway.call(server, { tool: "echo", arguments: { text: "two" }, timeoutMs: 10_000 });
        assert.strictEqual(second._tag, "Known");
        assert.deepStrictEqual(heard(), [
          ["tools/call", undefined],
          ["tools/list", undefined],
          ["tools/call", "one"],
          ["tools/call", "two"],
        ]);
        assert.deepStrictEqual(called, ["call one", "call two"]);
      }),
  );
});
