/**
 * Runs what can say what it has done by the time that it is stopped.
 */
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Option from "effect/Option";

/** How a call is stopped whose work is given up. */
export interface Stopping<A, E> {
  /** Tells it to stop. */
  readonly stop: Effect.Effect<unknown>;
  /** Whether what it has done is still wanted; otherwise it is interrupted as anything else. */
  readonly isWanted: () => boolean;
  /** Takes what it has done. */
  readonly apply: (given: A) => Effect.Effect<void, E>;
}

/**
 * What `running` gives. When it is interrupted while what it does is wanted it is told to stop, and what it gives within a second is
 * applied before anything else happens; after that it is interrupted too.
 */
export const untilStopped = <A, E>(
  running: Effect.Effect<A, E>,
  { apply, isWanted, stop }: Stopping<A, E>,
): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.forkDetach(running, { startImmediately: true }), (fiber) =>
    Effect.onInterrupt(Fiber.join(fiber), () =>
      Effect.gen(function* () {
        if (isWanted()) {
          yield* stop;
          const exit = yield* Effect.timeoutOption(Fiber.await(fiber), stoppingMs);
          if (Option.isSome(exit) && Exit.isSuccess(exit.value) && isWanted())
            yield* Effect.ignore(apply(exit.value.value));
        }
        yield* Fiber.interrupt(fiber);
      }),
    ),
  );

const stoppingMs = 1000;
