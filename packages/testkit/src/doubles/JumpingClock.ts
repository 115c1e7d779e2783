/**
 * A clock that jumps, forward or back, while something is under way: as one does that is set by hand or by a server.
 *
 * Owns how far it is off. Does not own the passing of time: it wraps another clock, and sleeps as long as that one says,
 * since a machine counts a wait by another clock than the one that it shows.
 */
import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";

export interface JumpingClock {
  readonly clock: Clock.Clock;
  /** Moves what the clock shows by so many milliseconds from now on; negative is back. */
  readonly jump: (milliseconds: number) => void;
}

/** `clock`, which shows the right time until it jumps. */
export const make = (clock: Clock.Clock): JumpingClock => {
  const off = { milliseconds: 0 };
  return {
    clock: {
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + off.milliseconds,
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + off.milliseconds),
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + nanosOf(off.milliseconds),
      currentTimeNanos: Effect.map(clock.currentTimeNanos, (now) => now + nanosOf(off.milliseconds)),
      // Only what the clock shows jumps.
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos,
      sleep: (duration) => clock.sleep(duration),
    },
    jump: (milliseconds) => {
      off.milliseconds += milliseconds;
    },
  };
};

const nanosOf = (milliseconds: number): bigint => BigInt(milliseconds) * 1_000_000n;
