/**
 * Looks at values that came from outside.
 */
import type * as Schema from "effect/Schema";

export type JsonObject = Readonly<Record<string, Schema.Json>>;

/** Whether a value is an object with names. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The string under a name, undefined where there is none. */
export const stringAt = (value: JsonObject, name: string): string | undefined => {
  const found = value[name];
  return typeof found === "string" ? found : undefined;
};

/** Whether values stand in each other more deeply than `levels`; what does would overflow the stack of whoever walks it. */
export const isDeeperThan = (value: unknown, levels: number): boolean => {
  const open: Array<readonly [value: unknown, level: number]> = [[value, 0]];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const [found, level] = part;
    if (typeof found !== "object" || found === null) continue;
    if (level >= levels) return true;
    for (const inner of Object.values(found)) open.push([inner, level + 1]);
  }
  return false;
};

/** The value with each of its strings and names replaced. */
export const mapStrings = (value: unknown, replace: (text: string) => string): unknown => {
  if (typeof value === "string") return replace(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [replace(name), mapStrings(inner, replace)]));
};
