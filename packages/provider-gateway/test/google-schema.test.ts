import { assert, describe, it } from "@effect/vitest";
import * as googleSchema from "../src/internal/googleSchema.ts";

const sanitize = (schema: Readonly<Record<string, unknown>>) => googleSchema.sanitize(schema, "openapi");

const inProperty = (schema: unknown, definitions: object = {}) => {
  const { losses, schema: whole } = sanitize({
    type: "object",
    properties: { p: schema },
    ...definitions,
  });
  const properties = whole?.["properties"] as Readonly<Record<string, unknown>> | undefined;
  return { p: properties?.["p"], losses };
};

describe("a tool schema for Google", () => {
  it("keeps properties whatever they are called", () => {
    const names = ["title", "default", "const", "$ref", "anyOf", "examples", "additionalProperties", "__proto__"];
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string", title: "gone" }]));
    const { losses, schema } = sanitize({ type: "object", properties, required: ["title", "missing"] });
    assert.deepStrictEqual(Object.keys(schema?.["properties"] ?? {}), names);
    assert.deepStrictEqual(schema?.["required"], ["title"]);
    assert.deepStrictEqual(losses, []);
  });

  it("of a tool without arguments is none", () => {
    assert.isUndefined(sanitize({ type: "object", properties: {} }).schema);
    assert.isUndefined(sanitize({}).schema);
  });

  it("keeps what Google knows, with counts as text", () => {
    const { losses, p } = inProperty({
      type: "object",
      description: "All.",
      properties: {
        s: { type: "string", minLength: 1, maxLength: 9, pattern: "^a" },
        d: { type: "string", format: "date-time" },
        e: { type: "string", enum: ["a", "b"] },
        n: { type: "number", minimum: 0, maximum: 1.5, format: "float" },
        l: { type: "array", items: { type: "boolean" }, minItems: 1, maxItems: 3 },
      },
      required: ["s"],
    });
    assert.deepStrictEqual(p, {
      type: "OBJECT",
      description: "All.",
      properties: {
        s: { type: "STRING", pattern: "^a", minLength: "1", maxLength: "9" },
        d: { type: "STRING", format: "date-time" },
        e: { type: "STRING", format: "enum", enum: ["a", "b"] },
        n: { type: "NUMBER", format: "float", minimum: 0, maximum: 1.5 },
        l: { type: "ARRAY", items: { type: "BOOLEAN" }, minItems: "1", maxItems: "3" },
      },
      required: ["s"],
    });
    assert.deepStrictEqual(losses, []);
  });

  it("writes local references out, a description beside one goes before its own", () => {
    const $defs = { "a/b~c": { type: "integer", description: "Own." }, other: { $ref: "#/$defs/a~1b~0c" } };
    assert.deepStrictEqual(inProperty({ $ref: "#/$defs/other", description: "Said." }, { $defs }).p, {
      type: "INTEGER",
      description: "Said.",
    });
    assert.deepStrictEqual(inProperty({ $ref: "https://x.test/s" }).losses, [
      "a reference to elsewhere is left out (at /properties/p)",
      "any value is offered as text (at /properties/p)",
    ]);
  });

  it("within itself ends as text", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" }, v: { type: "string" } } };
    const { losses, p } = inProperty({ $ref: "#/$defs/node" }, { $defs: { node } });
    assert.deepStrictEqual(p, {
      type: "OBJECT",
      properties: { next: { type: "STRING" }, v: { type: "STRING" } },
    });
    assert.deepStrictEqual(losses, ["a schema within itself is offered as text (at /properties/p/properties/next)"]);
    const knot = { allOf: [{ $ref: "#/$defs/knot" }] };
    assert.deepStrictEqual(inProperty(knot, { $defs: { knot } }).p, { type: "STRING" });
  });

  it("says null by nullable, and several types or forms by anyOf", () => {
    assert.deepStrictEqual(inProperty({ type: ["string", "null"], description: "d" }).p, {
      type: "STRING",
      description: "d",
      nullable: true,
    });
    assert.deepStrictEqual(inProperty({ type: ["string", "integer"] }).p, {
      anyOf: [{ type: "STRING" }, { type: "INTEGER" }],
    });
    const either = {
      description: "d",
      anyOf: [{ type: "string" }, { type: "null" }, { type: "number", description: "n" }],
    };
    assert.deepStrictEqual(inProperty(either), {
      p: {
        anyOf: [
          { type: "STRING", description: "d" },
          { type: "NUMBER", description: "n" },
        ],
        nullable: true,
      },
      losses: [],
    });
    assert.deepStrictEqual(inProperty({ oneOf: [{ type: "string" }] }), {
      p: { type: "STRING" },
      losses: ["oneOf is offered as anyOf (at /properties/p)"],
    });
    assert.deepStrictEqual(inProperty({ anyOf: [{ type: "null" }] }).p, { type: "STRING", nullable: true });
  });

  it("joins allOf and says so where its parts differ", () => {
    const allOf = [
      { properties: { a: { type: "string" } }, required: ["a"] },
      { properties: { b: { type: "string" } }, required: ["b"] },
    ];
    assert.deepStrictEqual(inProperty({ type: "object", allOf }), {
      p: { type: "OBJECT", properties: { a: { type: "STRING" }, b: { type: "STRING" } }, required: ["a", "b"] },
      losses: [],
    });
    assert.deepStrictEqual(inProperty({ allOf: [{ minimum: 1 }, { minimum: 2 }] }).losses, [
      "allOf is joined (at /properties/p)",
    ]);
  });

  it("lists texts, and tells of other values in the description", () => {
    assert.deepStrictEqual(inProperty({ const: "a" }).p, { type: "STRING", format: "enum", enum: ["a"] });
    assert.deepStrictEqual(inProperty({ enum: ["a", "", null] }), {
      p: { type: "STRING", nullable: true, format: "enum", enum: ["a"] },
      losses: ["an empty value of an enum is left out (at /properties/p)"],
    });
    assert.deepStrictEqual(inProperty({ type: "integer", enum: [1, 2], description: "How many." }), {
      p: { type: "INTEGER", description: "How many. One of: 1, 2." },
      losses: ["the listed values stand in the description (at /properties/p)"],
    });
  });

  it("reports what is left out once, with its places", () => {
    const closed = {
      type: "object",
      properties: { a: { type: "string", format: "uri" } },
      additionalProperties: false,
    };
    assert.deepStrictEqual(sanitize({ ...closed, properties: { p: closed } }).losses, [
      "additionalProperties is left out (at /, /properties/p)",
      "format is left out (at /properties/p/properties/a)",
    ]);
    assert.deepStrictEqual(inProperty({ type: "object", patternProperties: {} }).p, { type: "STRING" });
    assert.deepStrictEqual(inProperty({ type: "array" }).p, { type: "ARRAY", items: { type: "STRING" } });
    const root = sanitize({ properties: { a: { type: "string" } }, anyOf: [{ required: ["a"] }] });
    assert.deepStrictEqual(root.losses, ["anyOf is left out (at /)"]);
  });

  it("may be written as JSON Schema writes types and counts", () => {
    const list = { type: "array", items: { enum: ["a"] }, minItems: 2 };
    assert.deepStrictEqual(googleSchema.sanitize({ properties: { p: list } }, "json-schema").schema, {
      type: "object",
      properties: { p: { type: "array", items: { type: "string", enum: ["a"] }, minItems: 2 } },
    });
  });
});
