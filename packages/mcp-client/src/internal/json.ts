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
