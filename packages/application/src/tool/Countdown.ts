/**
 * The time that a call may take, which stands still while a person is asked something in it.
 */
import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";

export interface Countdown {
  /** Ends when the time is up. */
  readonly expired: Effect.Effect<void>;
  /** The same effect, with the time standing still until it ends. */
  readonly paused: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>;
}

/** A countdown of so many milliseconds that has begun. */
export const make = (milliseconds: number): Effect.Effect<Countdown> =>
  Effect.map(Clock.currentTimeMillis, (startedAt) => {
    const state = { left: milliseconds, since: startedAt, pauses: 0, changed: Deferred.makeUnsafe<void>() };
    const change = (pauses: number) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (state.pauses === 0) state.left -= now - state.since;
        state.since = now;
        state.pauses += pauses;
        const { changed } = state;
        state.changed = Deferred.makeUnsafe();
        Deferred.doneUnsafe(changed, Effect.void);
      });
    return {
      expired: Effect.gen(function* () {
        for (;;) {
          const { changed, pauses } = state;
          const now = yield* Clock.currentTimeMillis;
          const left = state.left - (now - state.since);
          // A pause only puts the end off, so that nothing need be heard of one before then.
          if (pauses > 0) yield* Deferred.await(changed);
          else if (left <= 0) return;
          else yield* Effect.sleep(left);
        }
      }),
      paused: (effect) =>
        Effect.acquireUseRelease(
          change(1),
          () => effect,
          () => change(-1),
        ),
    };
  });
