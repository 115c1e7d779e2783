/**
 * The n-th write that fails.
 */
import * as Effect from "effect/Effect";

/** Which write fails, from 1, with what, and whether it has written by then; `forever`: and every later one. */
export interface Failing<Fault> {
  readonly at: number;
  readonly fault: Fault;
  readonly moment: "beforeWriting" | "afterWriting";
  readonly forever?: boolean;
}

/** Counts the writes that it is given and fails those of the plan. */
export const failing = <Fault>({ at, fault, forever, moment }: Failing<Fault>) => {
  const count = { writes: 0 };
  return <A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E | Fault, R> =>
    Effect.suspend((): Effect.Effect<A, E | Fault, R> => {
      count.writes += 1;
      const fails = forever === true ? count.writes >= at : count.writes === at;
      if (!fails) return write;
      return moment === "beforeWriting" ? Effect.fail(fault) : Effect.andThen(write, Effect.fail(fault));
    });
};
