/**
 * JSON Schema in words: the fields of an object, one after the other, with those of the objects within.
 *
 * Owns reading the part of JSON Schema that the runtime's own schemas use. Does not own how fields are shown.
 */
import * as Predicate from "effect/Predicate";
import * as Schema from "effect/Schema";

/** A schema as plain JSON. */
export type JsonSchema = { readonly [key: string]: unknown };

/**
 * One field. `name` is the way to it: `target.kind`, `commits[].path`. `type` is Markdown. `limits` says the bounds that
 * the schema itself states, empty without any.
 */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly limits: string;
  readonly description: string;
  readonly default: string | undefined;
}

/** A shape that a page explains once, and what it is called there. */
export interface Named {
  readonly type: string;
  readonly schema: JsonSchema;
}

/** The JSON Schema of values that a schema reads. */
export const of = (schema: Schema.Top): JsonSchema => Schema.toJsonSchemaDocument(schema).schema;

/** The fields of an object schema, those of inner objects right after the field that holds them. */
export const fields = (schema: JsonSchema, named: ReadonlyArray<Named> = [], prefix = ""): ReadonlyArray<Field> => {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(objectOf(schema["properties"])).flatMap(([key, value]) => {
    const property = objectOf(value);
    const name = `${prefix}${key}`;
    const field: Field = {
      name,
      type: typeOf(property, named),
      required: required.includes(key),
      limits: limitsOf(property),
      description: Predicate.isString(property["description"]) ? property["description"] : "",
      default: property["default"] === undefined ? undefined : JSON.stringify(property["default"]),
    };
    return [field, ...innerFields(property, named, name)];
  });
};

/** What values of a schema are, in Markdown. */
export const typeOf = (schema: JsonSchema, named: ReadonlyArray<Named> = []): string => {
  const known = named.find((one) => isEqual(one.schema, schema));
  if (known !== undefined) return known.type;
  const { enum: values, type } = schema;
  if (Array.isArray(values)) return values.map((value) => `\`${String(value)}\``).join(", ");
  if ("const" in schema) return `\`${String(schema["const"])}\``;
  const parts = alternativesOf(schema);
  if (parts.length > 0)
    return [...new Set(parts.map((part) => (isObject(part) ? "object" : typeOf(part, named))))].join(" or ");
  if (type === "array") {
    if (Array.isArray(schema["prefixItems"])) return `[${listOf(schema["prefixItems"], named).join(", ")}]`;
    return `array of ${plural(typeOf(objectOf(schema["items"]), named))}`;
  }
  if (Array.isArray(type)) return type.join(" or ");
  return Predicate.isString(type) ? type : "any JSON";
};

const listOf = (items: ReadonlyArray<unknown>, named: ReadonlyArray<Named>): ReadonlyArray<string> =>
  items.map((item) => typeOf(objectOf(item), named));

const innerFields = (schema: JsonSchema, named: ReadonlyArray<Named>, name: string): ReadonlyArray<Field> => {
  if (named.some((one) => isEqual(one.schema, schema))) return [];
  if (schema["type"] === "array") return innerFields(objectOf(schema["items"]), named, `${name}[]`);
  const objects = alternativesOf(schema).filter(isObject);
  const shapes = objects.length === 0 ? [schema] : objects;
  const all = shapes.flatMap((shape) => fields(shape, named, `${name}.`));
  return [...new Set(all.map((field) => field.name))].flatMap((inner) => oneOf(all, inner, shapes.length));
};

/** Of alternatives, a field that not all have, or that differs, is shown once: with every type that it may have. */
const oneOf = (all: ReadonlyArray<Field>, name: string, shapes: number): ReadonlyArray<Field> => {
  const same = all.filter((field) => field.name === name);
  const [first] = same;
  if (first === undefined) return [];
  return [
    {
      ...first,
      type: [...new Set(same.map(({ type }) => type))].join(", "),
      required: same.length === shapes && same.every(({ required }) => required),
    },
  ];
};

const limitsOf = (schema: JsonSchema): string => {
  const bound = (key: string) => {
    const value = schema[key];
    return Predicate.isNumber(value) && Math.abs(value) !== Number.MAX_SAFE_INTEGER ? value : undefined;
  };
  return [
    range(bound("minimum"), bound("maximum"), ""),
    range(
      bound("minLength"),
      bound("maxLength"),
      schema["minLength"] === 1 && bound("maxLength") === undefined ? " character" : " characters",
    ),
    range(bound("minItems"), bound("maxItems"), " items"),
  ]
    .filter((text) => text !== "" && !("prefixItems" in schema && text.endsWith("items")))
    .join(", ");
};

const range = (least: number | undefined, most: number | undefined, unit: string): string => {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? "" : `at most ${most}${unit}`;
};

const alternativesOf = (schema: JsonSchema): ReadonlyArray<JsonSchema> => {
  const parts = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(parts) ? parts.map(objectOf) : [];
};

const isObject = (schema: JsonSchema): boolean => schema["type"] === "object" && "properties" in schema;

const plural = (type: string): string => (/^[a-z]+$/u.test(type) ? `${type}s` : type);

const objectOf = (value: unknown): JsonSchema => (Predicate.isObject(value) && !Array.isArray(value) ? value : {});

const isEqual = (one: JsonSchema, other: JsonSchema): boolean => JSON.stringify(one) === JSON.stringify(other);
