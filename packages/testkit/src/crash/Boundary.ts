/**
 * The moments of a run at which a crash is told apart from any other: around what it makes durable, and between what it
 * asks outside and the answer.
 *
 * Owns their kinds and how many a run has. Does not own how a run is held there (`Gate`).
 */

/**
 * `beforeAppend`: nothing of the write has begun. `withinAppend`: it is under way when the process ends. `afterAppend`: it
 * is durable and its answer is never seen. The same of a blob and of a document that is the run's. `beforeAnswer`: the outside has done what it was asked for,
 * and its answer is never seen.
 */
export const kinds = [
  "beforeAppend",
  "withinAppend",
  "afterAppend",
  "beforeBlob",
  "afterBlob",
  "beforeDocument",
  "afterDocument",
  "beforeAnswer",
] as const;
export type BoundaryKind = (typeof kinds)[number];

/** The boundary at the `at`-th write of its kind that a process does for one run, from 1. */
export interface Boundary {
  readonly kind: BoundaryKind;
  readonly at: number;
}

/** How often one run came past: creating, claiming and appending are all `appends`. */
export interface Counts {
  readonly appends: number;
  readonly blobs: number;
  readonly documents: number;
  readonly answers: number;
}

/** Every boundary of a run that nobody interrupts and that came past so often. */
export const all = (counts: Counts): ReadonlyArray<Boundary> =>
  kinds.flatMap((kind) => Array.from({ length: countOf(counts, kind) }, (_, index) => ({ kind, at: index + 1 })));

const countOf = (counts: Counts, kind: BoundaryKind): number => {
  switch (kind) {
    case "beforeAppend":
    case "withinAppend":
    case "afterAppend":
      return counts.appends;
    case "beforeBlob":
    case "afterBlob":
      return counts.blobs;
    case "beforeDocument":
    case "afterDocument":
      return counts.documents;
    case "beforeAnswer":
      return counts.answers;
    default:
      return kind satisfies never;
  }
};
