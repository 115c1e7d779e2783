/**
 * Wakes those who wait for a run to change, whoever changes it.
 *
 * Owns the waiting, and that other processes are watched while somebody waits and no longer. Does not own what has
 * changed: who wakes looks for itself.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import * as Effect from "effect/Effect";
import * as Latch from "effect/Latch";
import * as RcRef from "effect/RcRef";
import type * as Scope from "effect/Scope";

/** `raised` returns at once when the run has changed since `lower`. */
export interface Signal {
  readonly lower: () => void;
  readonly raised: Effect.Effect<void>;
}

export interface RunSignals {
  /** A signal that is raised by every change of the run, until the scope closes. */
  readonly follow: (runId: RunId) => Effect.Effect<Signal, never, Scope.Scope>;
  /** Without a run, everybody is woken. */
  readonly raise: (runId: RunId | undefined) => void;
}

/** `watch` calls `raise` for what other processes change, for as long as its scope is open. */
export const make = Effect.fnUntraced(function* (
  watch: (raise: RunSignals["raise"]) => Effect.Effect<void, never, Scope.Scope>,
): Effect.fn.Return<RunSignals, never, Scope.Scope> {
  const waiting = new Map<RunId, Set<Latch.Latch>>();

  const raise: RunSignals["raise"] = (runId) => {
    const sets = runId === undefined ? waiting.values() : [waiting.get(runId) ?? []];
    for (const latches of sets) for (const latch of latches) latch.openUnsafe();
  };

  const start = (runId: RunId): Latch.Latch => {
    const latch = Latch.makeUnsafe();
    waiting.set(runId, (waiting.get(runId) ?? new Set()).add(latch));
    return latch;
  };

  const stop = (runId: RunId, latch: Latch.Latch): void => {
    const latches = waiting.get(runId);
    latches?.delete(latch);
    if (latches?.size === 0) waiting.delete(runId);
  };

  const watching = yield* RcRef.make({ acquire: watch(raise) });

  return {
    raise,
    follow: Effect.fnUntraced(function* (runId) {
      yield* RcRef.get(watching);
      const latch = yield* Effect.acquireRelease(
        Effect.sync(() => start(runId)),
        (started) => Effect.sync(() => stop(runId, started)),
      );
      return { lower: () => latch.closeUnsafe(), raised: latch.await };
    }),
  };
});
