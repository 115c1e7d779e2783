/**
 * A BlobStore whose n-th put fails, before or after it has stored its bytes.
 *
 * Owns the count of puts and the chosen fault. Does not own blobs: it wraps a correct store.
 */
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { Unavailable } from "@cahier/ports/StorageFault";
import { failing } from "../internal/doubles/failing.ts";

export interface Plan {
  /** Which put fails, from 1, counted over all scopes. */
  readonly put: number;
  readonly fault: Unavailable;
  /** Whether the put fails before its bytes are stored or when they are. */
  readonly moment: "beforeWriting" | "afterWriting";
  /** Whether every later put fails as well, as on a full disk. */
  readonly forever?: boolean;
}

/** `blobs` with the fault of `plan`; everything but `put` is passed on. */
export const make = (blobs: BlobStore["Service"], plan: Plan): BlobStore["Service"] => {
  const fails = failing({ ...plan, at: plan.put });
  return { ...blobs, put: (scope, bytes) => fails(blobs.put(scope, bytes)) };
};
