/**
 * Tool schemas as Google's formats take them: a part of OpenAPI's, far less than JSON Schema.
 *
 * Works by position: a property may be called `title`, `default` or `$ref`. Local references are written out. What cannot
 * be said is left out and reported; arguments are checked against the schema of the tool, never against this one.
 */
import { isArrayOf, isObject, isString, isText } from "./shape.ts";

type Schema = Readonly<Record<string, unknown>>;

export interface Sanitized {
  /** Undefined where the tool takes no arguments: Google refuses an object without properties. */
  readonly schema: Schema | undefined;
  /** What was left out or changed, each with the places where it stood, as JSON Pointers. */
  readonly losses: ReadonlyArray<string>;
}

/** How types and counts are written: `TYPE` and text as in OpenAPI by Google, `type` and numbers as in JSON Schema. */
export type Notation = "openapi" | "json-schema";

/** The schema of a tool's arguments in Google's terms. The given one is not changed. */
export const sanitize = (schema: Schema, notation: Notation): Sanitized => {
  const walk = new Walk(schema, notation);
  const root = walk.root(schema);
  return { schema: root, losses: walk.losses() };
};

class Walk {
  readonly #root: Schema;
  readonly #notation: Notation;
  readonly #lost = new Map<string, Array<string>>();

  constructor(root: Schema, notation: Notation) {
    this.#root = root;
    this.#notation = notation;
  }

  losses(): ReadonlyArray<string> {
    return [...this.#lost].map(([what, places]) => `${what} (at ${places.join(", ")})`);
  }

  root(schema: Schema): Schema | undefined {
    const flat = this.#flatten(schema, "", []);
    for (const keyword of ["anyOf", "oneOf"])
      if (flat.schema[keyword] !== undefined) this.#lose(`${keyword} is left out`, "");
    if (!isObject(flat.schema["properties"]) || Object.keys(flat.schema["properties"]).length === 0) {
      this.#report(flat.schema, "", new Set(["properties", "required"]));
      return undefined;
    }
    return this.#object(flat.schema, "", flat.seen);
  }

  #value(value: unknown, place: string, seen: ReadonlyArray<string>): Schema {
    if (!isObject(value)) return this.#anything(place);
    const flat = this.#flatten(value, place, seen);
    if (flat.schema === tooDeep) return this.#text({}, place, "a schema within itself is offered as text");
    const variants = this.#variants(flat.schema, place);
    if (variants === undefined) return this.#typed(flat.schema, place, flat.seen);
    const walked = variants.of.map(({ at, schema }) => this.#value(schema, `${place}/${at}`, flat.seen));
    const [only] = walked;
    if (only === undefined) return { ...this.#anything(place), nullable: true };
    const nullable = variants.isNullable ? { nullable: true } : {};
    return walked.length === 1 ? { ...only, ...nullable } : { anyOf: walked, ...nullable };
  }

  /** Follows references and joins `allOf`; what stands beside a reference goes before what it names. */
  #flatten(
    schema: Schema,
    place: string,
    seen: ReadonlyArray<string>,
  ): { readonly schema: Schema; readonly seen: ReadonlyArray<string> } {
    const { $ref, allOf, ...own } = schema;
    if (isString($ref)) {
      if (seen.includes($ref) || seen.length > 32) return { schema: tooDeep, seen };
      const target = this.#resolve($ref);
      if (target === undefined) this.#lose("a reference to elsewhere is left out", place);
      return this.#flatten(join(isObject(target) ? target : {}, own), place, [...seen, $ref]);
    }
    if (!Array.isArray(allOf)) return { schema, seen };
    const parts = allOf.flatMap((part: unknown) => (isObject(part) ? [this.#flatten(part, place, seen)] : []));
    if (parts.some((part) => part.schema === tooDeep)) return { schema: tooDeep, seen };
    const joined = [...parts.map((part) => part.schema), own].reduce<Schema>((known, part) => {
      if (Object.keys(part).some((keyword) => isClash(keyword, known, part))) this.#lose("allOf is joined", place);
      return join(known, part);
    }, {});
    return { schema: joined, seen: [...new Set([...seen, ...parts.flatMap((part) => part.seen)])] };
  }

  #resolve(reference: string): unknown {
    if (!reference.startsWith("#")) return undefined;
    const steps = reference.slice(1).split("/").slice(1);
    return steps.reduce<unknown>((found, step) => {
      const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
      if (Array.isArray(found)) return (found as ReadonlyArray<unknown>)[Number(name)];
      return isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }, this.#root);
  }

  /** The alternatives of a schema, each with what stands beside them; undefined where it has one form only. */
  #variants(schema: Schema, place: string) {
    const keyword = ["anyOf", "oneOf"].find((one) => Array.isArray(schema[one]));
    const { [keyword ?? ""]: listed, ...beside } = schema;
    if (keyword !== undefined) {
      if (keyword === "oneOf") this.#lose("oneOf is offered as anyOf", place);
      const all = (listed as ReadonlyArray<unknown>).map((one, index) => ({ at: `${keyword}/${index}`, one }));
      const isNullable = all.some(({ one }) => isNull(one)) || schema["nullable"] === true;
      const { nullable: _, ...rest } = beside;
      return {
        of: all.flatMap(({ at, one }) => (isNull(one) || !isObject(one) ? [] : [{ at, schema: join(rest, one) }])),
        isNullable,
      };
    }
    if (!Array.isArray(schema["type"])) return undefined;
    const types = schema["type"].filter(isString);
    return {
      of: types.flatMap((type, index) =>
        type === "null" ? [] : [{ at: `type/${index}`, schema: { ...schema, type } }],
      ),
      isNullable: types.includes("null") || schema["nullable"] === true,
    };
  }

  #typed(schema: Schema, place: string, seen: ReadonlyArray<string>): Schema {
    switch (typeOf(schema)) {
      case "object": {
        const { properties } = schema;
        if (isObject(properties) && Object.keys(properties).length > 0) return this.#object(schema, place, seen);
        return this.#text(schema, place, "an object without properties is offered as text");
      }
      case "array":
        return this.#array(schema, place, seen);
      case "string":
        return this.#string(schema, place);
      case "integer":
      case "number":
      case "boolean":
        return this.#scalar(schema, place);
      default:
        return this.#anything(place, schema);
    }
  }

  #object(schema: Schema, place: string, seen: ReadonlyArray<string>): Schema {
    this.#report(schema, place, new Set(["properties", "required", "minProperties", "maxProperties"]));
    const properties = Object.entries(schema["properties"] as Schema);
    const names = new Set(properties.map(([name]) => name));
    const required = Array.isArray(schema["required"])
      ? schema["required"].filter((name) => names.has(name as string))
      : [];
    return {
      type: this.#type("object"),
      ...annotations(schema),
      properties: Object.fromEntries(
        properties.map(([name, value]) => [name, this.#value(value, `${place}/properties/${escape(name)}`, seen)]),
      ),
      ...(required.length === 0 ? {} : { required }),
      ...this.#counts(schema, ["minProperties", "maxProperties"]),
    };
  }

  #array(schema: Schema, place: string, seen: ReadonlyArray<string>): Schema {
    this.#report(schema, place, new Set(["items", "minItems", "maxItems"]));
    return {
      type: this.#type("array"),
      ...annotations(schema),
      items: this.#value(schema["items"], `${place}/items`, seen),
      ...this.#counts(schema, ["minItems", "maxItems"]),
    };
  }

  #string(schema: Schema, place: string): Schema {
    const isFormat = schema["format"] === "date-time";
    this.#report(
      schema,
      place,
      new Set(["enum", "const", "pattern", "minLength", "maxLength", ...(isFormat ? ["format"] : [])]),
    );
    const listed = enumOf(schema);
    const values = listed?.filter(isText);
    if (listed?.some((value) => value === "")) this.#lose("an empty value of an enum is left out", place);
    return {
      type: this.#type("string"),
      ...annotations(schema),
      ...(listed?.includes(null) === true ? { nullable: true } : {}),
      ...(values === undefined || values.length === 0 ? {} : { ...this.#enumFormat(), enum: values }),
      ...(isFormat ? { format: "date-time" } : {}),
      ...(isText(schema["pattern"]) ? { pattern: schema["pattern"] } : {}),
      ...this.#counts(schema, ["minLength", "maxLength"]),
    };
  }

  /** Only texts can be listed; of other values the description tells. */
  #scalar(schema: Schema, place: string): Schema {
    const type = String(typeOf(schema));
    const isFormat = isString(schema["format"]) && numberFormats.has(schema["format"]) && type !== "boolean";
    this.#report(schema, place, new Set(["minimum", "maximum", ...(isFormat ? ["format"] : []), "enum", "const"]));
    const listed = enumOf(schema);
    if (listed !== undefined) this.#lose("the listed values stand in the description", place);
    const told = listed === undefined ? "" : `One of: ${listed.map((value) => JSON.stringify(value)).join(", ")}.`;
    const { description, ...rest } = annotations(schema);
    const text = [description, told].filter(isText).join(" ");
    return {
      type: this.#type(type),
      ...rest,
      ...(text === "" ? {} : { description: text }),
      ...(isFormat ? { format: schema["format"] } : {}),
      ...limit(schema, "minimum"),
      ...limit(schema, "maximum"),
    };
  }

  #anything(place: string, schema: Schema = {}): Schema {
    return this.#text(schema, place, "any value is offered as text");
  }

  #text(schema: Schema, place: string, loss: string): Schema {
    this.#lose(loss, place);
    return { type: this.#type("string"), ...annotations(schema) };
  }

  /** Says what of a schema is left out: everything but what is sent and what only tells people something. */
  #report(schema: Schema, place: string, sent: ReadonlySet<string>): void {
    for (const keyword of Object.keys(schema)) {
      if (!sent.has(keyword) && !silent.has(keyword)) this.#lose(`${keyword} is left out`, place);
    }
  }

  #type(name: string): string {
    return this.#notation === "openapi" ? name.toUpperCase() : name;
  }

  #enumFormat(): Schema {
    return this.#notation === "openapi" ? { format: "enum" } : {};
  }

  /** Counts are 64-bit integers to Google, which stand in JSON as text. */
  #counts(schema: Schema, keywords: ReadonlyArray<string>): Schema {
    return Object.fromEntries(
      keywords.flatMap((keyword) => {
        const count = schema[keyword];
        if (!Number.isInteger(count)) return [];
        return [[keyword, this.#notation === "openapi" ? String(count) : count]];
      }),
    );
  }

  #lose(what: string, place: string): void {
    const places = this.#lost.get(what) ?? [];
    this.#lost.set(what, [...places, place === "" ? "/" : place]);
  }
}

/** Stands for what a reference would go on for ever with. */
const tooDeep: Schema = {};

/** Keywords whose absence changes nothing that arguments must be, and those that are always sent. */
const silent = new Set([
  "$anchor",
  "$comment",
  "$defs",
  "$id",
  "$schema",
  "anyOf",
  "default",
  "definitions",
  "deprecated",
  "description",
  "example",
  "examples",
  "nullable",
  "oneOf",
  "readOnly",
  "title",
  "type",
  "writeOnly",
]);

const numberFormats = new Set(["float", "double", "int32", "int64"]);

const annotations = (schema: Schema): { readonly description?: string; readonly nullable?: true } => ({
  ...(isText(schema["description"]) ? { description: schema["description"] } : {}),
  ...(schema["nullable"] === true ? { nullable: true } : {}),
});

const limit = (schema: Schema, keyword: "minimum" | "maximum"): Schema =>
  Number.isFinite(schema[keyword]) ? { [keyword]: schema[keyword] } : {};

const enumOf = (schema: Schema): ReadonlyArray<unknown> | undefined => {
  if (Object.hasOwn(schema, "const")) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
};

const isNull = (schema: unknown): boolean =>
  isObject(schema) && (schema["type"] === "null" || (Object.hasOwn(schema, "const") && schema["const"] === null));

/** The type that a schema names, else the one that its other keywords are about. */
const typeOf = (schema: Schema): string | undefined => {
  if (isString(schema["type"])) return schema["type"].toLowerCase();
  if (isObject(schema["properties"])) return "object";
  if (schema["items"] !== undefined || schema["prefixItems"] !== undefined) return "array";
  const listed = enumOf(schema)?.filter((value) => value !== null);
  if (listed !== undefined && listed.length > 0) {
    return ["string", "number", "boolean"].find((type) => isArrayOf(listed, (value) => typeof value === type));
  }
  if (["minimum", "maximum", "multipleOf"].some((keyword) => schema[keyword] !== undefined)) return "number";
  return ["pattern", "minLength", "maxLength", "format"].some((keyword) => schema[keyword] !== undefined)
    ? "string"
    : undefined;
};

/** Two schemas that both hold: properties and required names add up, of anything else the second says it. */
const join = (one: Schema, other: Schema): Schema => ({
  ...one,
  ...other,
  ...(isObject(one["properties"]) && isObject(other["properties"])
    ? { properties: { ...one["properties"], ...other["properties"] } }
    : {}),
  ...(Array.isArray(one["required"]) && Array.isArray(other["required"])
    ? { required: [...new Set<unknown>([...one["required"], ...other["required"]])] }
    : {}),
});

const isClash = (keyword: string, one: Schema, other: Schema): boolean => {
  if (silent.has(keyword) && keyword !== "type" && keyword !== "anyOf" && keyword !== "oneOf") return false;
  if (keyword === "required" || !Object.hasOwn(one, keyword)) return false;
  if (keyword !== "properties") return JSON.stringify(one[keyword]) !== JSON.stringify(other[keyword]);
  const [known, added] = [one[keyword], other[keyword]];
  return isObject(known) && isObject(added) && Object.keys(known).some((name) => Object.hasOwn(added, name));
};

const escape = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
