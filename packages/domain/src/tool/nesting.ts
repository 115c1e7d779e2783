/**
 * How deep JSON may be nested where somebody else decides it: deeper values overrun whatever walks them.
 */
import type * as Schema from "effect/Schema";

/** Most levels of lists and objects of a value from outside. */
export const maxNesting = 256;

/** True when a value has more levels than that. */
export const isNestedTooDeep = (value: Schema.Json, levels = maxNesting): boolean => {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const inner of Object.values(value)) if (isNestedTooDeep(inner, levels - 1)) return true;
  return false;
};
