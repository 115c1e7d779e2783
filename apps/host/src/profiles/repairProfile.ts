/**
 * The repairs of a stored profile that need no choice of a person beyond asking for them.
 */
import * as Predicate from "effect/Predicate";
import type * as Schema from "effect/Schema";
import type { ConnectionState } from "./Diagnosis.ts";

/** `normalizeIdentity`: its id is the one that it is kept under. `requireConfiguration`: it names no connection that is gone. */
export type Repair = "normalizeIdentity" | "requireConfiguration";

/** What a repair came to: the document after it, or why it leaves the document as it is. */
export type Repaired =
  | { readonly isDone: true; readonly value: Schema.Json }
  | { readonly isDone: false; readonly reason: string };

/** Repairs the document that is kept under an id. What is no object has nothing that could be repaired. */
export const repair = (what: Repair, id: string, value: unknown, connection: ConnectionState | undefined): Repaired => {
  if (!isDocument(value))
    return { isDone: false, reason: "It is no profile at all; delete it, or save one in its place." };
  if (what === "normalizeIdentity") {
    return value["id"] === id
      ? { isDone: false, reason: "It has its own id already." }
      : { isDone: true, value: { ...value, id } };
  }
  if (connection === undefined) return { isDone: false, reason: "It names no connection." };
  return connection === "there"
    ? { isDone: false, reason: "Its connection is stored and can be used." }
    : { isDone: true, value: { ...value, model: { mode: "requiresConfiguration" } } };
};

/** A repair that was asked for; `reason` is null when it was done. */
export interface RepairOutcome {
  readonly repair: Repair;
  readonly reason: string | null;
}

/** The document after the repairs, one upon the other, and what became of each. */
export const repairAll = (
  [what, ...rest]: ReadonlyArray<Repair>,
  id: string,
  value: unknown,
  connection: ConnectionState | undefined,
): { readonly value: unknown; readonly outcomes: ReadonlyArray<RepairOutcome> } => {
  if (what === undefined) return { value, outcomes: [] };
  const done = repair(what, id, value, connection);
  const after = repairAll(rest, id, done.isDone ? done.value : value, connection);
  return { ...after, outcomes: [{ repair: what, reason: done.isDone ? null : done.reason }, ...after.outcomes] };
};

const isDocument = (value: unknown): value is { readonly [key: string]: Schema.Json } =>
  Predicate.isObject(value) && !Array.isArray(value);
