/**
 * JSON Schemas (2020-12) of tools, compiled once and kept.
 *
 * Owns which schemas can be used and the cache. Does not own what is said about a value that does not fit
 * (`checkArguments`). A schema stands alone: what it refers to lies within it, nothing is ever fetched.
 */
import * as Predicate from "effect/Predicate";
import * as Result from "effect/Result";
import type * as EffectSchema from "effect/Schema";
import type { TLocalizedValidationError } from "typebox/error";
import { Compile } from "typebox/schema";

/** A schema as a descriptor holds it. */
export type JsonSchema = { readonly [key: string]: EffectSchema.Json };

/** One rule that a value breaks; both paths are JSON pointers. */
export type SchemaError = TLocalizedValidationError;

/** `errors` lists what is wrong, at most the first few; it is asked only for values that do not fit. */
export interface CompiledSchema {
  readonly fits: (value: unknown) => boolean;
  readonly errors: (value: unknown) => ReadonlyArray<SchemaError>;
}

/** The compiled schema, or a sentence that says why it cannot be used. Compiled when it is first asked for. */
export const compileSchema = (schema: JsonSchema): Result.Result<CompiledSchema, string> => {
  const known = byIdentity.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema);
  const compiled = byText.get(text) ?? compile(schema);
  byIdentity.set(schema, compiled);
  if (!byText.has(text)) remember(text, compiled);
  return compiled;
};

type Compiled = Result.Result<CompiledSchema, string>;

/** Each run reads its snapshot anew, so equal schemas come as other objects: their text finds them again. */
const byIdentity = new WeakMap<JsonSchema, Compiled>();
const byText = new Map<string, Compiled>();
const mostTexts = 2000;

const remember = (text: string, compiled: Compiled): void => {
  const oldest = byText.size < mostTexts ? undefined : byText.keys().next().value;
  if (oldest !== undefined) byText.delete(oldest);
  byText.set(text, compiled);
};

const compile = (schema: JsonSchema): Compiled => {
  const unusable = unusableReference(schema);
  if (unusable !== undefined) return Result.fail(unusable);
  return Result.try({
    try: (): CompiledSchema => {
      const validator = Compile(schema);
      return { fits: (value) => validator.Check(value), errors: (value) => validator.Errors(value)[1] };
    },
    catch: (cause) => `It is not a schema: ${Predicate.isError(cause) ? cause.message : String(cause)}.`,
  });
};

/** A reference that leads out of the schema or to nothing within it, in a sentence. */
const unusableReference = (schema: JsonSchema): string | undefined => {
  const found = { ids: new Set<string>(), references: new Array<string>() };
  collect(schema, found);
  for (const reference of found.references) {
    const [address = "", pointer = ""] = reference.split("#", 2);
    if (address !== "" && ![...found.ids].some((id) => id === address || id.endsWith(`/${address}`)))
      return `It refers to ${JSON.stringify(reference)}, and nothing outside of a schema is ever fetched.`;
    if (address === "" && pointer.startsWith("/") && found.ids.size <= 1 && !leads(schema, pointer))
      return `It refers to ${JSON.stringify(reference)}, which it does not have.`;
  }
  return undefined;
};

/** Keywords by what stands below them: one schema (or a list), a list of schemas, schemas by name. */
const one = ["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"];
const more = ["additionalItems", "allOf", "anyOf", "oneOf", "prefixItems", "unevaluatedItems", "unevaluatedProperties"];
const named = ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

const collect = (schema: unknown, found: { readonly ids: Set<string>; readonly references: Array<string> }): void => {
  if (Array.isArray(schema)) {
    for (const inner of schema) collect(inner, found);
    return;
  }
  if (!isRecord(schema)) return;
  if (typeof schema["$id"] === "string") found.ids.add(schema["$id"].replace(/#$/, ""));
  for (const key of ["$ref", "$dynamicRef", "$recursiveRef"])
    if (typeof schema[key] === "string") found.references.push(schema[key]);
  for (const key of [...one, ...more]) collect(schema[key], found);
  for (const key of named) {
    const schemas = schema[key];
    if (isRecord(schemas)) for (const inner of Object.values(schemas)) collect(inner, found);
  }
};

const leads = (schema: JsonSchema, pointer: string): boolean => at(schema, pointer) !== undefined;

/** What stands at a JSON pointer (RFC 6901, percent-decoded where it can be) of a schema or value. */
export const at = (value: unknown, pointer: string): unknown => {
  let found: unknown = value;
  for (const token of pointer.split("/").slice(1)) {
    if (typeof found !== "object" || found === null) return undefined;
    const key = unescape(token);
    found = Object.hasOwn(found, key) ? (found as Record<string, unknown>)[key] : undefined;
  }
  return found;
};

/** A token of a pointer as the key that it names. */
export const unescape = (token: string): string => {
  const plain = /%[0-9a-f]{2}/i.test(token)
    ? Result.getOrElse(
        Result.try(() => decodeURIComponent(token)),
        () => token,
      )
    : token;
  return plain.replaceAll("~1", "/").replaceAll("~0", "~");
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  Predicate.isObject(value) && !Array.isArray(value);
