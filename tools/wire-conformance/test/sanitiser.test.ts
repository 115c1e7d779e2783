import type { ToolDefinition } from "@cahier/domain/model/ModelRequest";
import { assert, describe, it } from "@effect/vitest";
import * as Ajv2020 from "ajv/dist/2020.js";
import * as Effect from "effect/Effect";
import * as bodies from "../src/bodies.ts";
import { request } from "../src/request.ts";
import * as routes from "../src/routes.ts";
import * as PublishedSchemas from "./support/PublishedSchemas.ts";
import * as randomSchemas from "./support/randomSchemas.ts";

type Json = Readonly<Record<string, unknown>>;

const samples = randomSchemas.of(200);

const toolOf = (inputSchema: randomSchemas.Sample["schema"]): ToolDefinition => ({
  name: "tool",
  description: "Does it.",
  inputSchema,
});

/** The bodies of 200 requests, each with one tool. */
const made = (route: routes.Route) =>
  bodies
    .of(
      samples.map(({ schema }, index) =>
        request(route, { sessionId: `run_${index}:inv_root`, tools: [toolOf(schema)] }),
      ),
    )
    .pipe(Effect.map((all) => all.map(({ body }) => JSON.parse(body ?? "null") as Json)));

/** Where the schema of the one tool stands. */
const places: Readonly<Record<string, ReadonlyArray<string | number>>> = {
  "openai-chat": ["tools", 0, "function", "parameters"],
  "openai-responses": ["tools", 0, "parameters"],
  "anthropic-messages": ["tools", 0, "input_schema"],
  "gemini-generate-content": ["tools", 0, "functionDeclarations", 0, "parameters"],
  "gemini-interactions": ["tools", 0, "parameters"],
};

/** Of Interactions and Responses the published type of the schema is any object; the whole body is judged as well. */
const pointers: Readonly<Record<string, string>> = {
  "openai-chat": "#/components/schemas/FunctionParameters",
  "anthropic-messages": "#/components/schemas/InputSchema",
  "gemini-generate-content": "#/components/schemas/Schema",
};

/** The published type asks for a type everywhere; Google's servers want `anyOf` to stand alone. */
const loosenedOf = (route: routes.Route): PublishedSchemas.Loosening => {
  const { loosened = {} } = PublishedSchemas.published[route.name] ?? {};
  return route.name === "gemini-generate-content"
    ? { ...loosened, notRequired: { ...loosened.notRequired, Schema: ["type"] } }
    : loosened;
};

/** Schemas, by their places, that have neither a type nor `anyOf` alone. */
const untyped = (schema: Json, place: string): ReadonlyArray<string> => {
  const { anyOf, description: _, nullable: __, ...rest } = schema;
  const isWhole = typeof schema["type"] === "string" || (Array.isArray(anyOf) && Object.keys(rest).length === 0);
  const inner = [
    ...Object.entries((schema["properties"] ?? {}) as Json),
    ...Object.entries({ items: schema["items"] }),
    ...((anyOf ?? []) as ReadonlyArray<Json>).map((variant, index) => [`anyOf/${index}`, variant] as const),
  ];
  return [
    ...(isWhole ? [] : [place]),
    ...inner.flatMap(([name, value]) => (value === undefined ? [] : untyped(value as Json, `${place}/${name}`))),
  ];
};

const schemaIn = (route: routes.Route, body: Json): Json =>
  (places[route.name] ?? []).reduce<unknown>((value, key) => (value as Json)[key], body) as Json;

/** Google's dialect as JSON Schema: types in capitals, counts as text, null as a mark. */
const asJsonSchema = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(asJsonSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).flatMap(([keyword, value]): ReadonlyArray<readonly [string, unknown]> => {
    if (keyword === "nullable") return [];
    if (keyword === "type" && typeof value === "string") return [[keyword, value.toLowerCase()]];
    if (/^(?:min|max)[A-Z]/.test(keyword)) return [[keyword, Number(value)]];
    if (keyword !== "properties") return [[keyword, asJsonSchema(value)]];
    const members = Object.entries(value as Json).map(([name, inner]) => [name, asJsonSchema(inner)] as const);
    return [[keyword, Object.fromEntries(members)]];
  });
  const plain = Object.fromEntries(entries);
  return "nullable" in schema ? { anyOf: [plain, { type: "null" }] } : plain;
};

const ajv = new Ajv2020.Ajv2020({ strict: false, validateFormats: false, validateSchema: false, logger: false });

const admits = (schema: unknown, value: unknown): boolean => ajv.compile(schema as Json)(value);

const test = PublishedSchemas.arePresent ? it.effect : it.effect.skip;

describe("200 schemas of tools by chance", () => {
  for (const route of routes.overHttp) {
    test(
      `are taken by the published types for ${route.name}${PublishedSchemas.absence}`,
      () =>
        Effect.gen(function* () {
          const pointer = pointers[route.name];
          const options = { closed: "everywhere", loosened: loosenedOf(route) } as const;
          const body = PublishedSchemas.validator(route.name, options);
          const schema =
            pointer === undefined ? undefined : PublishedSchemas.validator(route.name, { ...options, pointer });
          for (const [index, sent] of (yield* made(route)).entries()) {
            assert.deepStrictEqual(body(sent), [], `schema ${index}`);
            if (options.loosened.notRequired?.["Schema"] !== undefined) {
              assert.deepStrictEqual(untyped(schemaIn(route, sent), ""), [], `schema ${index}`);
            }
            if (schema !== undefined) assert.deepStrictEqual(schema(schemaIn(route, sent)), [], `schema ${index}`);
          }
        }),
      120_000,
    );

    it.effect(`keep every property for ${route.name}, whatever keyword it is called like`, () =>
      Effect.gen(function* () {
        const kept = new Set<string>();
        for (const [index, sent] of (yield* made(route)).entries()) {
          const properties = Object.keys(schemaIn(route, sent)["properties"] as Json);
          assert.sameMembers(properties, Object.keys(samples[index]?.schema.properties ?? {}));
          for (const name of properties) kept.add(name);
        }
        assert.sameMembers([...kept], [...randomSchemas.names]);
      }),
    );

    it.effect(`admit for ${route.name} all arguments that the schema of the tool admits`, () =>
      Effect.gen(function* () {
        for (const [index, sent] of (yield* made(route)).entries()) {
          const { example, isOpen, schema } = samples[index] ?? { example: null, isOpen: false, schema: {} };
          assert.isTrue(admits(schema, example), `schema ${index} and its example`);
          // The one thing that is not loosened but changed, and reported: such an object becomes text.
          if (isOpen && route.binding.source === "gemini") continue;
          assert.isTrue(
            admits(asJsonSchema(schemaIn(route, sent)), example),
            `schema ${index}: ${JSON.stringify([schemaIn(route, sent), example])}`,
          );
        }
      }),
    );
  }
});
