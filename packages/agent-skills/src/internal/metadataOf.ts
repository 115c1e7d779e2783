/**
 * The author's own values in a front matter, as JSON.
 */
import type * as Schema from "effect/Schema";

/** Deeper values are left out: nobody reads them, and whoever walks them must not run out of stack. */
const maxDepth = 8;

/** Keys that objects have from their prototype; values under them are left out. */
const prototypeKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** `undefined` for what is no map. What JSON cannot hold is written as text. */
export const metadataOf = (value: unknown): Readonly<Record<string, Schema.Json>> | undefined =>
  value instanceof Map ? recordOf(value, maxDepth) : undefined;

const recordOf = (map: ReadonlyMap<unknown, unknown>, depth: number): Readonly<Record<string, Schema.Json>> =>
  Object.fromEntries(
    [...map].flatMap(([key, value]) => {
      if ((typeof key === "object" && key !== null) || prototypeKeys.has(String(key))) return [];
      const json = jsonOf(value, depth - 1);
      return json === undefined ? [] : [[String(key).toWellFormed(), json] as const];
    }),
  );

const jsonOf = (value: unknown, depth: number): Schema.Json | undefined => {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (depth <= 0) return undefined;
  if (value instanceof Map) return recordOf(value, depth);
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((item: unknown) => {
    const json = jsonOf(item, depth - 1);
    return json === undefined ? [] : [json];
  });
};
