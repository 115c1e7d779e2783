/**
 * A DocumentStore whose n-th put fails, before or after it has written its document.
 *
 * Owns the count of puts and the chosen fault. Does not own documents: it wraps a correct store. After a put that failed
 * although it wrote, the revision that its caller knows is stale.
 */
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import type { Conflict, Corrupt, Unavailable } from "@cahier/ports/StorageFault";
import { failing } from "../internal/doubles/failing.ts";

export interface Plan {
  /** Which put fails, from 1, counted over all collections. */
  readonly put: number;
  readonly fault: Conflict | Corrupt | Unavailable;
  /** Whether the put fails before its document is written or when it is. */
  readonly moment: "beforeWriting" | "afterWriting";
  /** Whether every later put fails as well, as on a full disk. */
  readonly forever?: boolean;
}

/** `documents` with the fault of `plan`; everything but `put` is passed on. */
export const make = (documents: DocumentStore["Service"], plan: Plan): DocumentStore["Service"] => {
  const fails = failing({ ...plan, at: plan.put });
  return {
    ...documents,
    put: (collection, id, revision, value) => fails(documents.put(collection, id, revision, value)),
  };
};
