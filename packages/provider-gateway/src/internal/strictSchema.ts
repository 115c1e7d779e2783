/**
 * Tool schemas for servers that hold a model to them, where every property must be required: what is optional is made
 * nullable on the way out, and a null for it is taken out again on the way back.
 *
 * A schema with a construct that such servers refuse, or that would come back ambiguous, has no strict form.
 */
import * as jsonText from "./jsonText.ts";
import { isObject } from "./shape.ts";

export type Schema = Readonly<Record<string, unknown>>;

/** The strict form of an object's schema; undefined where it has none. */
export const of = (schema: Schema): Schema | undefined => {
  const strict = strictOf(schema);
  return strict?.["type"] === "object" ? strict : undefined;
};

/**
 * Arguments without the nulls that stand for an optional property of the schema as it was before. Text that is not
 * JSON, and everything else in it, stays as it is.
 */
export const restore = (args: string, schema: Schema): string =>
  jsonText.parse(args) === undefined ? args : restored(args.trim(), schema);

const strictOf = (schema: unknown): Schema | undefined => {
  if (!isObject(schema) || Object.keys(schema).some((keyword) => !allowed.has(keyword))) return undefined;
  if (schema["type"] === "object") return strictObject(schema);
  if ("properties" in schema || "additionalProperties" in schema || "required" in schema) return undefined;
  if (schema["type"] === "array" || "items" in schema) {
    const items = strictOf(schema["items"]);
    return schema["type"] === "array" && items !== undefined ? { ...schema, items } : undefined;
  }
  const { anyOf } = schema;
  if (anyOf === undefined) return isScalar(schema) ? schema : undefined;
  // Of alternatives that are objects nobody could say which one a value was meant for.
  return Array.isArray(anyOf) && anyOf.every((branch) => isObject(branch) && isScalar(branch)) ? schema : undefined;
};

const strictObject = (schema: Schema): Schema | undefined => {
  const { additionalProperties, properties, ...rest } = schema;
  // An object that may hold anything cannot be closed.
  if (!isObject(properties) || (additionalProperties !== undefined && additionalProperties !== false)) return undefined;
  const entries = Object.entries(properties).map(([name, property]) => {
    const strict = strictOf(property);
    return [name, strict === undefined || !isFilled(schema, name) ? strict : nullable(strict)] as const;
  });
  if (entries.some(([, property]) => property === undefined)) return undefined;
  return {
    ...rest,
    properties: Object.fromEntries(entries),
    required: entries.map(([name]) => name),
    additionalProperties: false,
  };
};

const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: "null" }] });

/** Whether a property may be absent but not null, so that null can stand for its absence. */
const isFilled = (schema: Schema, name: string): boolean => {
  const { properties, required } = schema;
  const isRequired = Array.isArray(required) && required.includes(name);
  const property = isObject(properties) ? properties[name] : undefined;
  return !isRequired && isObject(property) && !takesNull(property);
};

const takesNull = (schema: Schema): boolean => {
  const { anyOf, const: constant, enum: values, type } = schema;
  if (Array.isArray(anyOf)) return anyOf.some((branch) => isObject(branch) && takesNull(branch));
  if (Array.isArray(values)) return values.includes(null);
  if ("const" in schema) return constant === null;
  return type === "null" || type === undefined || (Array.isArray(type) && type.includes("null"));
};

const isScalar = (schema: Schema): boolean => {
  if (Object.keys(schema).some((keyword) => !allowed.has(keyword) || structural.has(keyword))) return false;
  const { type } = schema;
  const types: ReadonlyArray<unknown> = Array.isArray(type) ? type : [type];
  if (types.every((one) => typeof one === "string" && scalars.has(one))) return true;
  return type === undefined && ("enum" in schema || "const" in schema);
};

const scalars = new Set(["string", "number", "integer", "boolean", "null"]);

const structural = new Set([
  "properties",
  "required",
  "additionalProperties",
  "items",
  "anyOf",
  "minItems",
  "maxItems",
]);

const allowed = new Set([
  ...structural,
  "const",
  "description",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "maximum",
  "minimum",
  "multipleOf",
  "pattern",
  "type",
]);

const restored = (text: string, schema: unknown): string => {
  if (!isObject(schema)) return text;
  const { items, properties } = schema;
  if (text.startsWith("[") && items !== undefined) {
    return `[${jsonText
      .elementsOf(text)
      .map((element) => restored(element, items))
      .join(",")}]`;
  }
  if (!text.startsWith("{") || !isObject(properties)) return text;
  const members = jsonText.membersOf(text).flatMap(({ name, value }) => {
    if (value === "null" && isFilled(schema, name)) return [];
    return [`${JSON.stringify(name)}:${restored(value, properties[name])}`];
  });
  return `{${members.join(",")}}`;
};
