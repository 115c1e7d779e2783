import { assert, describe, it } from "@effect/vitest";
import * as googleSchema from "../src/internal/googleSchema.ts";
import { dice } from "./support/dice.ts";

type Schema = Readonly<Record<string, unknown>>;

const names = ["a", "title", "default", "const", "$ref", "type", "enum", "items", "properties", "x/y~z"] as const;

const generate = (seed: number): Schema => {
  const { below, of } = dice(seed);
  const maybe = (member: Schema): Schema => (below(3) === 0 ? member : {});
  const object = (depth: number): Schema => ({
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 1 + below(4) }, () => of(names)).map((name) => [name, value(depth - 1)]),
    ),
    ...maybe({ required: [of(names), of(names)] }),
    ...maybe({ additionalProperties: of([true, false, { type: "string" }]) }),
    ...maybe({ patternProperties: { "^x": {} }, minProperties: 1 }),
  });
  const value = (depth: number): unknown => {
    const noise = {
      ...maybe({ description: "Said." }),
      ...maybe({ title: "T", default: 1, examples: [1] }),
      ...maybe({ not: { type: "null" } }),
    };
    if (depth <= 0) return { type: of(["string", "integer", "number", "boolean", "null"]), ...noise };
    return of<() => unknown>([
      () => ({ ...object(depth), ...noise }),
      () => ({ type: "array", items: value(depth - 1), ...maybe({ minItems: 1, uniqueItems: true }), ...noise }),
      () => ({ type: "array", prefixItems: [value(depth - 1)], ...noise }),
      () => ({ [of(["anyOf", "oneOf"])]: [value(depth - 1), { type: "null" }, value(0)], ...noise }),
      () => ({ allOf: [value(depth - 1), { minLength: 2, maxLength: 7 }], ...noise }),
      () => ({ type: ["string", of(["null", "number"])], format: of(["uri", "date-time"]), pattern: "^a", ...noise }),
      () => ({ enum: of([["a", "b", ""], [1, 2], [true], [null, "a"], ["a", 1]]), ...noise }),
      () => ({ const: of<unknown>(["a", 7, null, { k: 1 }]), ...noise }),
      () => ({ $ref: of(["#/$defs/node", "#/$defs/leaf", "#", "https://x.test/other"]), ...noise }),
      () => of<unknown>([true, false, {}]),
    ])();
  };
  return { ...object(3), $defs: { leaf: value(1), node: object(2) }, $schema: "https://x.test/draft" };
};

const keywords: Readonly<Record<string, ReadonlyArray<string>>> = {
  OBJECT: ["properties", "required", "minProperties", "maxProperties"],
  ARRAY: ["items", "minItems", "maxItems"],
  STRING: ["enum", "format", "pattern", "minLength", "maxLength"],
  INTEGER: ["minimum", "maximum", "format"],
  NUMBER: ["minimum", "maximum", "format"],
  BOOLEAN: [],
};

/** Google's rules for a schema, beyond what its published form says: what it refuses is refused here. */
const check = (schema: Schema, place: string): void => {
  const { anyOf, description: _, nullable, type, ...rest } = schema;
  if (nullable !== undefined) assert.isTrue(nullable, place);
  if (anyOf !== undefined) {
    assert.deepStrictEqual([type, rest], [undefined, {}], place);
    const variants = anyOf as ReadonlyArray<Schema>;
    assert.isAbove(variants.length, 1, place);
    return variants.forEach((variant, index) => check(variant, `${place}/anyOf/${index}`));
  }
  const allowed = keywords[String(type)];
  assert.isDefined(allowed, `${place}: ${String(type)}`);
  for (const keyword of Object.keys(rest)) assert.include(allowed ?? [], keyword, place);
  for (const keyword of ["minItems", "maxItems", "minLength", "maxLength", "minProperties"]) {
    if (rest[keyword] !== undefined) assert.match(JSON.stringify(rest[keyword]), /^"\d+"$/, place);
  }
  if (rest["enum"] !== undefined) {
    assert.isTrue(
      (rest["enum"] as ReadonlyArray<unknown>).every((one) => typeof one === "string" && one !== ""),
      place,
    );
  }
  if (type === "ARRAY") check(rest["items"] as Schema, `${place}/items`);
  if (type !== "OBJECT") return;
  const properties = rest["properties"] as Readonly<Record<string, Schema>>;
  assert.isAbove(Object.keys(properties).length, 0, place);
  for (const name of (rest["required"] ?? []) as ReadonlyArray<string>) assert.property(properties, name, place);
  for (const [name, inner] of Object.entries(properties)) check(inner, `${place}/properties/${name}`);
};

describe("200 tool schemas of every kind for Google", () => {
  const all = Array.from({ length: 200 }, (_, seed) => generate(seed + 1));

  it("become schemas that Google takes, with every property of the root", () => {
    for (const [seed, schema] of all.entries()) {
      const { schema: made } = googleSchema.sanitize(schema, "openapi");
      assert.isDefined(made);
      check(made ?? {}, `schema ${seed}`);
      assert.sameMembers(Object.keys(made?.["properties"] ?? {}), Object.keys(schema["properties"] as object));
    }
  });

  it("are not changed themselves, and give the same each time", () => {
    for (const schema of all) {
      const before = JSON.stringify(schema);
      const first = googleSchema.sanitize(schema, "json-schema");
      assert.strictEqual(JSON.stringify(schema), before);
      assert.strictEqual(JSON.stringify(googleSchema.sanitize(schema, "json-schema")), JSON.stringify(first));
    }
  });

  it("come through unchanged a second time, so nothing is lost twice", () => {
    for (const [seed, schema] of all.entries()) {
      const once = googleSchema.sanitize(schema, "json-schema").schema ?? {};
      const twice = googleSchema.sanitize(once, "json-schema");
      assert.deepStrictEqual(twice, { schema: once, losses: [] }, `schema ${seed}`);
    }
  });
});
