/**
 * Checks of parsed JSON by hand: they run for every event, where a compiled schema costs as much as the parse.
 */

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isString = (value: unknown): value is string => typeof value === "string";

/** Whether a value is a text with at least one character. */
export const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

export const isAbsentOr = (value: unknown, holds: (present: unknown) => boolean): boolean =>
  value === undefined || value === null || holds(value);

export const isArrayOf = (value: unknown, holds: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(holds);
