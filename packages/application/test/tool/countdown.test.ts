import * as Countdown from "@cahier/application/tool/Countdown";
import { assert, describe, it } from "@effect/vitest";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";

const isOver = (fiber: Fiber.Fiber<void>): boolean => fiber.pollUnsafe() !== undefined;

/** A countdown of ten seconds, and whoever waits for its end. */
const begun = Effect.gen(function* () {
  const countdown = yield* Countdown.make(10_000);
  const waiting = yield* Effect.forkChild(countdown.expired, { startImmediately: true });
  const paused = yield* Deferred.make<void>();
  const pause = Effect.forkChild(countdown.paused(Deferred.await(paused)), { startImmediately: true });
  return { waiting, pause, resume: Deferred.succeed(paused, undefined) };
});

describe("the time that a call may take", () => {
  it.effect("is over when it has gone by", () =>
    Effect.gen(function* () {
      const { waiting } = yield* begun;
      yield* TestClock.adjust(9_999);
      assert.isFalse(isOver(waiting));
      yield* TestClock.adjust(1);
      assert.isTrue(isOver(waiting));
    }),
  );

  it.effect("is longer by a wait for a person that began and ended within it", () =>
    Effect.gen(function* () {
      const { pause, resume, waiting } = yield* begun;
      yield* TestClock.adjust(2_000);
      const waits = yield* pause;
      yield* TestClock.adjust(3_000);
      yield* resume;
      yield* Fiber.join(waits);
      yield* TestClock.adjust(7_999);
      assert.isFalse(isOver(waiting));
      yield* TestClock.adjust(1);
      assert.isTrue(isOver(waiting));
    }),
  );

  it.effect("does not end during a wait for a person, however long that is", () =>
    Effect.gen(function* () {
      const { pause, resume, waiting } = yield* begun;
      yield* TestClock.adjust(4_000);
      const waits = yield* pause;
      yield* TestClock.adjust(1_000_000);
      assert.isFalse(isOver(waiting));
      yield* resume;
      yield* Fiber.join(waits);
      yield* TestClock.adjust(5_999);
      assert.isFalse(isOver(waiting));
      yield* TestClock.adjust(1);
      assert.isTrue(isOver(waiting));
    }),
  );
});
