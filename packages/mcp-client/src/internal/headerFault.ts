/**
 * Whether the headers are right that a tool's input schema asks for.
 *
 * The newer protocol lets a schema name headers that repeat arguments. A tool that does so wrongly must not be called at
 * all: what stands between here and the server would see other values than the server does.
 */
import { isObject, type JsonObject } from "./json.ts";

/** Why a tool with this input schema must not be called; undefined where it may be. */
export const headerFault = (schema: JsonObject): string | undefined => {
  const names = new Set<string>();
  const open: Array<Part> = [{ value: schema, place: "root" }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const { value, place } = part;
    if (Array.isArray(value)) for (const item of value) open.push({ value: item, place: "elsewhere" });
    if (!isObject(value)) continue;
    const fault = place !== "names" && annotation in value ? faultOf(value, place, names) : undefined;
    if (fault !== undefined) return fault;
    for (const [keyword, inner] of Object.entries(value)) open.push({ value: inner, place: placeOf(place, keyword) });
  }
  return undefined;
};

/** Whether a schema may name headers; it surely names none where this says no. */
export const namesHeader = (schema: unknown): boolean => JSON.stringify(schema ?? {}).includes(`"${annotation}"`);

const annotation = "x-mcp-header";

/**
 * Where a part of the schema stands. An argument is reached from the root by `properties` alone, so that it has one value at
 * most; `names` is what holds the arguments by their names, one of which may be that of the annotation.
 */
type Place = "root" | "names" | "argument" | "elsewhere";

interface Part {
  readonly value: unknown;
  readonly place: Place;
}

const placeOf = (place: Place, keyword: string): Place => {
  if (place === "names") return "argument";
  return place !== "elsewhere" && keyword === "properties" ? "names" : "elsewhere";
};

const plain = new Set<unknown>(["string", "integer", "boolean"]);

const token = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;

const faultOf = (schema: JsonObject, place: Place, names: Set<string>): string | undefined => {
  const name = schema[annotation];
  if (place !== "argument") return "a header is named where no single argument is";
  if (typeof name !== "string" || !token.test(name)) return "a header has a name that none can have";
  if (!plain.has(schema["type"])) return `the header ${name} repeats no plain value`;
  if (names.has(name.toLowerCase())) return `the header ${name} is named twice`;
  names.add(name.toLowerCase());
  return undefined;
};
