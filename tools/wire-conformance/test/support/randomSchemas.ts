/** JSON Schemas of tools by chance, the same in every run, each with arguments that it admits. */

/** `isOpen`: somewhere it has an object whose members it does not name, which Google's dialect cannot say. */
export interface Sample {
  readonly isOpen: boolean;
  readonly schema: {
    readonly type: "object";
    readonly properties: Readonly<Record<string, Json>>;
    readonly [keyword: string]: Json;
  };
  readonly example: Json;
}

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json };

interface Value {
  readonly schema: { readonly [keyword: string]: Json };
  readonly example: Json;
}

/** Names that are keywords elsewhere. */
export const names = [
  "title",
  "default",
  "const",
  "$ref",
  "additionalProperties",
  "examples",
  "anyOf",
  "type",
  "enum",
  "items",
  "plain",
  "x/y~z",
] as const;

export const of = (count: number): ReadonlyArray<Sample> =>
  Array.from({ length: count }, (_, seed) => sample(seed + 1));

/** Numbers that are the same in every run. */
const dice = (seed: number) => {
  const state = { value: seed };
  const below = (count: number): number => {
    state.value = (Math.imul(state.value, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state.value / 2 ** 32) * count);
  };
  return { below, of: <A>(items: readonly [A, ...ReadonlyArray<A>]): A => items[below(items.length)] ?? items[0] };
};

const sample = (seed: number): Sample => {
  const { below, of } = dice(seed);
  const leaf: Value = { schema: { type: "string", minLength: 1 }, example: "leaf" };
  const noise = (): Value["schema"] => ({
    ...(below(3) === 0 ? { description: "Said." } : {}),
    ...(below(4) === 0 ? { title: "T", examples: ["x"] } : {}),
    ...(below(5) === 0 ? { $comment: "c", readOnly: false } : {}),
  });
  const object = (depth: number): Value & { readonly properties: Readonly<Record<string, Json>> } => {
    const chosen = [...new Set(Array.from({ length: 1 + below(4) }, () => of(names)))];
    const members = chosen.map((name) => [name, value(depth - 1)] as const);
    const properties = Object.fromEntries(members.map(([name, { schema }]): [string, Json] => [name, schema]));
    const closing: Value["schema"] = below(2) === 0 ? { additionalProperties: false } : {};
    return {
      properties,
      schema: { type: "object", properties, required: chosen.slice(0, below(chosen.length + 1)), ...closing },
      example: Object.fromEntries(members.map(([name, { example }]): [string, Json] => [name, example])),
    };
  };
  const value = (depth: number): Value => {
    const made = of<() => Value>(
      depth <= 0 ? flat : ([...flat, ...nested(depth)] as [() => Value, ...Array<() => Value>]),
    )();
    return { ...made, schema: { ...made.schema, ...noise() } };
  };
  const flat: [() => Value, ...Array<() => Value>] = [
    () => ({ schema: { type: "string", minLength: 1, maxLength: 9 }, example: "abc" }),
    () => ({ schema: { type: "string", pattern: "^a", format: "x-own" }, example: "abc" }),
    () => ({ schema: { type: "integer", minimum: 1, maximum: 9, exclusiveMinimum: 0 }, example: 3 }),
    () => ({ schema: { type: "number", multipleOf: 0.5 }, example: 1.5 }),
    () => ({ schema: { type: "boolean", default: true }, example: false }),
    () => ({ schema: { type: ["string", "null"] }, example: null }),
    () => ({ schema: { enum: ["a", "b"] }, example: "b" }),
    () => ({ schema: { type: "integer", enum: [1, 2] }, example: 2 }),
    () => ({ schema: { const: "only" }, example: "only" }),
    () => ({ schema: { $ref: "#/$defs/leaf" }, example: leaf.example }),
  ];
  const nested = (depth: number): ReadonlyArray<() => Value> => [
    () => object(depth),
    () => {
      const item = value(depth - 1);
      return { schema: { type: "array", items: item.schema, minItems: 1, uniqueItems: true }, example: [item.example] };
    },
    () => {
      const first = value(depth - 1);
      return { schema: { anyOf: [first.schema, { type: "null" }] }, example: below(2) === 0 ? null : first.example };
    },
    () => ({ schema: { oneOf: [{ type: "string", maxLength: 2 }, { type: "integer" }] }, example: 5 }),
    () => ({ schema: { allOf: [{ type: "string", minLength: 1 }, { maxLength: 5 }] }, example: "abc" }),
    () => ({ schema: { $ref: "#/$defs/node" }, example: { title: "x" } }),
    () => ({ schema: { type: "object", patternProperties: { "^x": { type: "string" } } }, example: { x1: "y" } }),
  ];
  const root = object(3);
  return {
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      ...root.schema,
      type: "object",
      properties: root.properties,
      $defs: {
        leaf: leaf.schema,
        node: {
          type: "object",
          properties: { title: { type: "string" }, next: { $ref: "#/$defs/node" } },
          required: ["title"],
        },
      },
    },
    example: root.example,
    isOpen: JSON.stringify(root.schema).includes('"patternProperties"'),
  };
};
