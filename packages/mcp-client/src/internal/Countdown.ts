/**
 * The time that a call may take, which stands still while somebody on this side is asked.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Latch from "effect/Latch";

export interface Countdown {
  /** Completes when the time is over. */
  readonly expired: Effect.Effect<void>;
  /** Runs without the time going on. */
  readonly paused: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>;
}

/** Starts counting. */
export const make = Effect.fnUntraced(function* (milliseconds: number) {
  const resumed = yield* Latch.make(true);
  const state = { end: (yield* Clock.currentTimeMillis) + milliseconds, asking: 0, since: 0 };

  const expired = Effect.gen(function* () {
    for (;;) {
      yield* resumed.await;
      const left = state.end - (yield* Clock.currentTimeMillis);
      if (left <= 0) return;
      yield* Effect.sleep(left);
    }
  });

  const begin = Effect.map(Clock.currentTimeMillis, (now) => {
    state.asking += 1;
    if (state.asking > 1) return;
    state.since = now;
    resumed.closeUnsafe();
  });
  const finish = Effect.map(Clock.currentTimeMillis, (now) => {
    state.asking -= 1;
    if (state.asking > 0) return;
    state.end += now - state.since;
    resumed.openUnsafe();
  });

  return {
    expired,
    paused: (effect) =>
      Effect.acquireUseRelease(
        begin,
        () => effect,
        () => finish,
      ),
  } satisfies Countdown;
});
