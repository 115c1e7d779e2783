import * as Messages from "@cahier/domain/model/Message";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as strictSchema from "../src/internal/strictSchema.ts";
import * as gateways from "./support/gateways.ts";
import { chunk, request, sseBody } from "./support/requests.ts";
import * as servers from "./support/servers.ts";

const schema = {
  type: "object",
  properties: {
    path: { type: "string", description: "Where." },
    limit: { type: "integer", minimum: 1 },
    mode: { enum: ["a", "b"] },
    note: { type: ["string", "null"] },
    edits: {
      type: "array",
      items: { type: "object", properties: { from: { type: "string" }, to: { type: "string" } }, required: ["from"] },
    },
  },
  required: ["path", "edits"],
};

const orNull = (property: object) => ({ anyOf: [property, { type: "null" }] });

describe("the strict form of a schema", () => {
  it("requires all properties, closes objects, and makes nullable what was optional", () => {
    assert.deepStrictEqual(strictSchema.of(schema), {
      type: "object",
      properties: {
        path: { type: "string", description: "Where." },
        limit: orNull({ type: "integer", minimum: 1 }),
        mode: orNull({ enum: ["a", "b"] }),
        note: { type: ["string", "null"] },
        edits: {
          type: "array",
          items: {
            type: "object",
            properties: { from: { type: "string" }, to: orNull({ type: "string" }) },
            required: ["from", "to"],
            additionalProperties: false,
          },
        },
      },
      required: ["path", "limit", "mode", "note", "edits"],
      additionalProperties: false,
    });
  });

  const without: ReadonlyArray<object> = [
    { type: "object" },
    { type: "object", properties: {}, additionalProperties: true },
    { type: "object", properties: {}, additionalProperties: { type: "string" } },
    { type: "object", properties: { a: {} } },
    { type: "object", properties: { a: { type: "array" } } },
    { type: "object", properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: { type: "string" } } },
    { type: "object", properties: { a: { oneOf: [{ type: "string" }] } } },
    { type: "object", properties: { a: { type: "string", minLength: 1 } } },
    { type: "object", properties: { a: { anyOf: [{ type: "object", properties: {} }, { type: "string" }] } } },
    { type: "string" },
  ];
  for (const one of without) {
    it(`does not exist for ${JSON.stringify(one)}`, () => {
      assert.isUndefined(strictSchema.of(one as strictSchema.Schema));
    });
  }

  it("comes back without the nulls that stood for nothing, and otherwise as it was", () => {
    const cases = [
      ['{"path":"a","limit":null,"mode":null,"note":null,"edits":[]}', '{"path":"a","note":null,"edits":[]}'],
      [
        '{"limit":1.0e2, "edits":[{"from":"x","to":null},{"to":"y"}]}',
        '{"limit":1.0e2,"edits":[{"from":"x"},{"to":"y"}]}',
      ],
      ['{"path":null,"other":null}', '{"path":null,"other":null}'],
      ['{"path":', '{"path":'],
      ["null", "null"],
    ] as const;
    for (const [args, expected] of cases) assert.strictEqual(strictSchema.restore(args, schema), expected);
  });
});

describe("a gateway that is to hold models to the schemas of tools", () => {
  const free = { type: "object" };
  const tools = [
    { name: "edit", description: "Edits.", inputSchema: schema },
    { name: "free", description: "Takes anything.", inputSchema: free },
  ];
  const args = '{"path":"a","limit":null,"mode":null,"note":null,"edits":[]}';
  const call = (name: string, id: string) => ({ id, type: "function", function: { name, arguments: args } });
  const ask = (url: string, format: "openai-chat" | "openai-responses") =>
    ModelGateway.use((gateway) =>
      gateway.generate(
        request({
          tools,
          binding: { source: "openai", format, modelId: "gpt-4o", baseUrl: url, secret: { key: "KEY" } },
        }),
        () => undefined,
      ),
    );

  it.live("sends Chat Completions strict forms where there are some, and gives arguments as the tool wants them", () =>
    Effect.gen(function* () {
      const calls = [call("edit", "c1"), call("free", "c2")].map((one, index) => ({ ...one, index }));
      const { url, seen } = yield* servers.http((response) =>
        response.end(sseBody(chunk({ tool_calls: calls }, "tool_calls"), "[DONE]")),
      );
      const { message } = yield* ask(url, "openai-chat");
      assert.deepStrictEqual(
        Messages.toolCallsOf(message).map((one) => one.arguments),
        ['{"path":"a","note":null,"edits":[]}', args],
      );
      const body = JSON.parse(seen.requests[0]?.body ?? "") as { tools: ReadonlyArray<{ function: object }> };
      assert.deepInclude(body.tools[0]?.function, { strict: true, parameters: strictSchema.of(schema) });
      assert.deepStrictEqual(body.tools[1]?.function, {
        name: "free",
        description: "Takes anything.",
        parameters: free,
      });
    }).pipe(Effect.provide(gateways.layer({ KEY: "k" }, { strictTools: true }))),
  );

  it.live("does the same in Responses, where the native item stays as it came", () =>
    Effect.gen(function* () {
      const item = { type: "function_call", call_id: "c1", name: "edit", arguments: args };
      const { url, seen } = yield* servers.http((response) =>
        response.end(JSON.stringify({ id: "r", output: [item] })),
      );
      const { message } = yield* ask(url, "openai-responses");
      assert.strictEqual(Messages.toolCallsOf(message)[0]?.arguments, '{"path":"a","note":null,"edits":[]}');
      assert.deepStrictEqual(
        message.parts.flatMap((part) => (part.type === "native" ? [part.json] : [])),
        [JSON.stringify(item)],
      );
      const body = JSON.parse(seen.requests[0]?.body ?? "") as { tools: ReadonlyArray<{ strict: boolean }> };
      assert.deepStrictEqual(
        body.tools.map(({ strict }) => strict),
        [true, false],
      );
    }).pipe(Effect.provide(gateways.layer({ KEY: "k" }, { strictTools: true }))),
  );

  it.live("is not asked for by default", () =>
    Effect.gen(function* () {
      const { url, seen } = yield* servers.http((response) => response.end(JSON.stringify({ id: "r", output: [] })));
      yield* ask(url, "openai-responses");
      assert.notInclude(seen.requests[0]?.body ?? "", '"strict":true');
    }).pipe(Effect.provide(gateways.layer({ KEY: "k" }))),
  );
});
