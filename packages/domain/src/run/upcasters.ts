/**
 * How payloads of older versions of an event are read: each version has a function that raises it to the next.
 *
 * Owns the table and the raising. Does not own which version is written (`RunEvent.definitions`). What is stored never
 * changes: it is raised whenever it is read, so a journal of any earlier version opens.
 */
import type * as Schema from "effect/Schema";
import type { StoredEvent } from "./EventEnvelope.ts";

/** Raises a payload of one version to the next. Total: it gets only what that version wrote. */
export type Upcaster = (payload: Schema.Json) => Schema.Json;

/** By type, and by the version that is raised. */
export type Upcasters = { readonly [type: string]: { readonly [version: number]: Upcaster } | undefined };

/** The versions that earlier releases wrote. A version that was ever released stays here for good. */
export const upcasters: Upcasters = {};

/** The event as `version` writes it; undefined when a step on the way there is missing. */
export const raise = (event: StoredEvent, version: number, table: Upcasters = upcasters): StoredEvent | undefined => {
  let { payload, v } = event;
  for (; v < version; v += 1) {
    const upcaster = table[event.type]?.[v];
    if (upcaster === undefined) return undefined;
    payload = upcaster(payload);
  }
  return v === version ? { ...event, v, payload } : undefined;
};
