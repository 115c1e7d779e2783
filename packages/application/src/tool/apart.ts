/**
 * Runs what belongs to somebody else without waiting longer for it than anybody wants to.
 */
import * as Effect from "effect/Effect";

/**
 * The same effect in a fiber of its own. When the caller is interrupted the fiber is asked to stop and not waited for:
 * code that cannot be interrupted runs on by itself and reaches nobody any more.
 */
export const apart = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDetach(effect), (fiber) =>
    Effect.callback<A, E>((resume) => {
      fiber.addObserver(resume);
      return Effect.sync(() => fiber.interruptUnsafe());
    }),
  );
