/**
 * The time that a double waits, which stands still while somebody is asked.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Latch from "effect/Latch";

export interface Patience {
  /** Completes when the time is over. */
  readonly expired: Effect.Effect<void>;
  readonly paused: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>;
}

/** Begins to wait. */
export const make = Effect.fnUntraced(function* (milliseconds: number) {
  const idle = yield* Latch.make(true);
  const state = { end: (yield* Clock.currentTimeMillis) + milliseconds };
  const expired = Effect.gen(function* () {
    for (;;) {
      yield* idle.await;
      const left = state.end - (yield* Clock.currentTimeMillis);
      if (left <= 0) return;
      yield* Effect.sleep(left);
    }
  });
  return {
    expired,
    paused: (effect) =>
      Effect.acquireUseRelease(
        Effect.andThen(idle.close, Clock.currentTimeMillis),
        () => effect,
        (since) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            state.end += now - since;
            return idle.open;
          }),
      ),
  } satisfies Patience;
});
