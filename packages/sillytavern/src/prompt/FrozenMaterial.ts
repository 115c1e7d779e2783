/**
 * A user's files as JSON, so that a run can keep what its prompts are made of, and the same files back.
 *
 * Owns the form. Does not own where it is kept.
 */
import * as Predicate from "effect/Predicate";
import type * as Schema from "effect/Schema";
import type * as Material from "./Material.ts";

const kind = "cahier.sillytavern.material";

/** A map is written as an object with this one key. */
const entries = "$entries";

/** The material as JSON. */
export const freeze = (material: Material.Material): Schema.Json =>
  JSON.parse(
    JSON.stringify({ kind, schemaVersion: 1, material }, (_key, value: unknown) =>
      value instanceof Map ? { [entries]: [...value] } : value,
    ),
  ) as Schema.Json;

/** The material behind its JSON; undefined for what `freeze` has not made. */
export const thaw = (frozen: Schema.Json): Material.Material | undefined => {
  if (!Predicate.isObject(frozen) || Array.isArray(frozen)) return undefined;
  const { kind: stated, material, schemaVersion } = frozen as { readonly [key: string]: unknown };
  if (stated !== kind || schemaVersion !== 1 || !Predicate.isObject(material)) return undefined;
  return JSON.parse(JSON.stringify(material), (_key, value: unknown) =>
    isEntries(value) ? new Map(value[entries]) : value,
  ) as Material.Material;
};

const isEntries = (value: unknown): value is { readonly [entries]: ReadonlyArray<readonly [unknown, unknown]> } =>
  Predicate.isObject(value) && entries in value && Array.isArray(value[entries]) && Object.keys(value).length === 1;
