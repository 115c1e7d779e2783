/**
 * Holds runs at their boundaries, so that one kill strikes many of them, each where it is wanted.
 *
 * Owns which run is held where, and knowing when all are. Does not own what a run does: `GatedPorts` puts the gate around
 * the ports that it works through. A held run waits for ever, unless it is freed as an owner that was taken for dead.
 */
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import type { Boundary, BoundaryKind, Counts } from "./Boundary.ts";

/** A run that waits at its boundary, or for an append at `withinAppend`: just before it, until `letGo`. */
export interface Held {
  readonly run: string;
  readonly kind: BoundaryKind;
}

export interface Gate {
  /** Around a durable write of the run's journal. */
  readonly appending: Around;
  /** Around the storing of a blob. */
  readonly storing: Around;
  /** Around the writing of a document that is the run's. */
  readonly documenting: Around;
  /** Around a request to the outside with its answer. */
  readonly answering: Around;
  /** The run is not carried on any more: it has ended, or was never begun. Called once for each run. */
  readonly ended: () => void;
  /** Waits until each of the runs is held or has ended. */
  readonly settled: Effect.Effect<ReadonlyArray<Held>>;
  /** Begins the appends that are held `withinAppend`. */
  readonly letGo: Effect.Effect<void>;
  /** Frees every held run: it goes on as if nothing had happened. */
  readonly free: Effect.Effect<void>;
  /** How often each run came past so far, in the order in which they were first seen. */
  readonly counts: () => ReadonlyArray<Counts>;
}

type Around = <A, E, R>(run: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>;

/**
 * A gate for one process that carries `boundaries.length` runs on. The n-th run that comes past is held at the n-th
 * boundary; null lets it pass everywhere.
 */
export const make = (boundaries: ReadonlyArray<Boundary | null>): Gate => {
  const seen = new Map<string, Passing>();
  const held: Array<Held> = [];
  const allSettled = Deferred.makeUnsafe<void>();
  const gone = Deferred.makeUnsafe<void>();
  const freed = Deferred.makeUnsafe<void>();
  let ended = 0;

  const look = (): void => {
    if (held.length + ended >= boundaries.length) Deferred.doneUnsafe(allSettled, Effect.void);
  };

  const passing = (run: string): Passing => {
    const known = seen.get(run);
    if (known !== undefined) return known;
    const made = {
      counts: { appends: 0, blobs: 0, documents: 0, answers: 0 },
      boundary: boundaries[seen.size] ?? null,
    };
    seen.set(run, made);
    return made;
  };

  /** Waits at one of these kinds if it is the run's, and does `meanwhile` before it is held for good. */
  const hold = (run: string, at: number, kind: BoundaryKind): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { boundary } = passing(run);
      if (boundary === null || boundary.kind !== kind || boundary.at !== at) return Effect.void;
      held.push({ run, kind });
      look();
      return Deferred.await(kind === "withinAppend" ? gone : freed);
    });

  const appending: Around = (run, work) =>
    Effect.suspend(() => {
      const { boundary, counts } = passing(run);
      const at = (counts.appends += 1);
      const within = boundary?.kind === "withinAppend" && boundary.at === at;
      return hold(run, at, "beforeAppend").pipe(
        Effect.andThen(hold(run, at, "withinAppend")),
        Effect.andThen(work),
        Effect.tap(() => (within ? Deferred.await(freed) : hold(run, at, "afterAppend"))),
      );
    });

  const storing: Around = (run, work) =>
    Effect.suspend(() => {
      const at = (passing(run).counts.blobs += 1);
      return hold(run, at, "beforeBlob").pipe(
        Effect.andThen(work),
        Effect.tap(() => hold(run, at, "afterBlob")),
      );
    });

  const documenting: Around = (run, work) =>
    Effect.suspend(() => {
      const at = (passing(run).counts.documents += 1);
      return hold(run, at, "beforeDocument").pipe(
        Effect.andThen(work),
        Effect.tap(() => hold(run, at, "afterDocument")),
      );
    });

  // A refusal is an answer as well.
  const answering: Around = (run, work) =>
    Effect.suspend(() => {
      const at = (passing(run).counts.answers += 1);
      return Effect.flatMap(Effect.result(work), (answer) =>
        Effect.andThen(hold(run, at, "beforeAnswer"), Effect.fromResult(answer)),
      );
    });

  return {
    appending,
    storing,
    documenting,
    answering,
    ended: () => {
      ended += 1;
      look();
    },
    settled: Effect.map(Deferred.await(allSettled), () => [...held]),
    letGo: Effect.asVoid(Deferred.succeed(gone, undefined)),
    free: Effect.andThen(Deferred.succeed(gone, undefined), Effect.asVoid(Deferred.succeed(freed, undefined))),
    counts: () => [...seen.values()].map(({ counts }) => ({ ...counts })),
  };
};

interface Passing {
  readonly counts: { appends: number; blobs: number; documents: number; answers: number };
  readonly boundary: Boundary | null;
}
