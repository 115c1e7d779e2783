/**
 * What a preset's or a card's file states of the profile that its runs have: `extensions.cahier.profileLayer`.
 *
 * A part of a profile and no whole one: those stand under `agentProfiles` and are imported by whoever wants them.
 */
import * as Predicate from "effect/Predicate";

/** What `file` (parsed JSON; of a card its `data`) states there, whatever it is; undefined where it states nothing. */
export const embeddedLayer = (file: unknown): unknown =>
  ["extensions", "cahier", "profileLayer"].reduce<unknown>(
    (found, key) => (isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined),
    file,
  );

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  Predicate.isObject(value) && !Array.isArray(value);
