/**
 * The only place that interprets the wire encoding of tool arguments.
 *
 * JSON-string encodings are stripped at most twice; absent, `null`, `""`, `"null"` and `"{}"` are the empty object; an
 * object is itself; everything else (truncated JSON, arrays, scalars, objects that are nested too deep) stays raw and
 * unusable. Nothing repairs JSON.
 */
import * as Predicate from "effect/Predicate";
import type * as Schema from "effect/Schema";
import { isNestedTooDeep } from "./nesting.ts";

export type JsonObject = { readonly [key: string]: Schema.Json };

export type ToolArguments =
  | { readonly _tag: "Usable"; readonly value: JsonObject }
  | { readonly _tag: "Unusable"; readonly raw: string };

/** Reads raw argument text as a provider sent it. */
export const fromRaw = (raw: string): ToolArguments => {
  let text = raw;
  for (let stripped = 0; stripped <= 2; stripped += 1) {
    const trimmed = text.trim();
    if (trimmed === "" || trimmed === "null") return { _tag: "Usable", value: {} };
    const parsed = parseJson(trimmed);
    if (typeof parsed === "string") {
      text = parsed;
      continue;
    }
    return isJsonObject(parsed) && !isNestedTooDeep(parsed)
      ? { _tag: "Usable", value: parsed }
      : { _tag: "Unusable", raw };
  }
  return { _tag: "Unusable", raw };
};

/** What a provider is sent back as the arguments of a call: always the text of an object, `{}` for unusable ones. */
export const replay = (raw: string): string => {
  const read = fromRaw(raw);
  if (read._tag === "Unusable") return "{}";
  return raw.trimStart().startsWith("{") ? raw : JSON.stringify(read.value);
};

/** The beginning of raw text, for an answer to a bad call. */
export const preview = (raw: string): string => (raw.length <= 200 ? raw : `${raw.slice(0, 200)}…`);

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isJsonObject = (value: unknown): value is JsonObject => Predicate.isObject(value) && !Array.isArray(value);
