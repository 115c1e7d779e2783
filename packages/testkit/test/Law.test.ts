import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Expectation from "../src/Expectation.ts";
import * as Law from "../src/Law.ts";
import * as Mutant from "../src/Mutant.ts";

interface CounterHarness {
  readonly open: Effect.Effect<{ readonly next: () => number }>;
  readonly reset?: Effect.Effect<void>;
}

const law = Law.of<CounterHarness>();

const counts = law({
  id: "CNT-01",
  title: "a counter counts from one",
  *check(harness) {
    const counter = yield* harness.open;
    yield* Expectation.same("first two", [counter.next(), counter.next()], [1, 2]);
  },
});

const resets = law({
  id: "CNT-02",
  title: "a counter that is reset counts from one again",
  needs: ["reset"],
  *check(harness) {
    const counter = yield* harness.open;
    counter.next();
    yield* harness.reset;
    yield* Expectation.same("next", counter.next(), 1);
  },
});

const laws = [counts, resets];

const makeHarness = Effect.sync((): CounterHarness => {
  const state = { count: 0 };
  return {
    open: Effect.succeed({
      next: () => {
        state.count += 1;
        return state.count;
      },
    }),
    reset: Effect.sync(() => {
      state.count = 0;
    }),
  };
});

const withoutReset: Law.MakeHarness<CounterHarness> = Effect.map(makeHarness, ({ open }) => ({ open }));

const stuck: Mutant.Mutant<CounterHarness> = {
  kills: "CNT-01",
  title: "a counter that is stuck",
  breaks: (harness) => ({ ...harness, open: Effect.succeed({ next: () => 1 }) }),
};

describe("Law", () => {
  it.effect("each law runs on a harness of its own and has a verdict", () =>
    Effect.gen(function* () {
      const verdicts = yield* Law.run(laws, makeHarness);
      assert.deepStrictEqual(verdicts, [
        { id: "CNT-01", title: "a counter counts from one", outcome: "passed" },
        { id: "CNT-02", title: "a counter that is reset counts from one again", outcome: "passed" },
      ]);
    }),
  );

  it.effect("a law whose need is stated to be lacking does not apply, with the reason", () =>
    Effect.gen(function* () {
      const [, verdict] = yield* Law.run(laws, withoutReset, { reset: "it counts for ever" });
      assert.strictEqual(verdict?.outcome, "notApplicable");
      assert.strictEqual(verdict?.detail, "reset: it counts for ever");
    }),
  );

  it.effect("a need that is lacking without a word fails a test and does not apply in a report", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(Law.check(resets, withoutReset));
      assert.instanceOf(failure, Law.AbilityMissing);
      const [, verdict] = yield* Law.run(laws, withoutReset);
      assert.strictEqual(verdict?.outcome, "notApplicable");
      assert.include(verdict?.detail, "reset");
    }),
  );

  it.effect("a broken law, a defect and a harness that cannot be made are failed verdicts with their reason", () =>
    Effect.gen(function* () {
      const broken = Effect.map(makeHarness, stuck.breaks);
      const dying = Effect.succeed<CounterHarness>({ open: Effect.die(new Error("a defect")) });
      const verdicts = [
        ...(yield* Law.run([counts], broken)),
        ...(yield* Law.run([counts], dying)),
        ...(yield* Law.run([counts], Effect.fail("no disk"))),
      ];
      assert.deepStrictEqual(
        verdicts.map((verdict) => [verdict.outcome, verdict.detail]),
        [
          ["failed", "first two: expected [1,2], found [1,1]"],
          ["failed", "a defect"],
          ["failed", "no disk"],
        ],
      );
    }),
  );

  it.effect("a mutant that its law does not notice is reported", () =>
    Effect.gen(function* () {
      yield* Mutant.dies(stuck, counts, makeHarness);
      const survivor = { ...stuck, breaks: (harness: CounterHarness) => harness };
      const failure = yield* Effect.flip(Law.mustFail(counts, Effect.map(makeHarness, survivor.breaks)));
      assert.include(failure.detail, "CNT-01 does not notice the mutant");
      yield* Effect.flip(Mutant.dies(survivor, counts, makeHarness));
    }),
  );

  it.effect("a law without a mutant, a mutant without a law and an id used twice are reported", () =>
    Effect.gen(function* () {
      const bare = yield* Effect.flip(Mutant.covers(laws, [stuck]));
      assert.include(bare.detail, "CNT-02");
      const stray = yield* Effect.flip(Mutant.covers([counts], [stuck, { ...stuck, kills: "CNT-09" }]));
      assert.include(stray.detail, "CNT-09");
      const twice = yield* Effect.flip(Mutant.covers([counts, counts], [stuck]));
      assert.include(twice.detail, "number of law ids");
    }),
  );
});

describe("Expectation", () => {
  it.effect("equality looks at the order of keys and at unpaired surrogates", () =>
    Effect.gen(function* () {
      yield* Expectation.same("value", { a: 1, b: ["\ud800"] }, { a: 1, b: ["\ud800"] });
      yield* Effect.flip(Expectation.same("order", { a: 1, b: 2 }, { b: 2, a: 1 }));
      yield* Effect.flip(Expectation.same("surrogate", "\ud800", "\ufffd"));
      yield* Effect.flip(Expectation.sameBytes("bytes", Uint8Array.of(1, 2), Uint8Array.of(1, 3)));
    }),
  );

  it.live("what never ends breaks the law when the patience ends", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(Expectation.within("waiting", Effect.never));
      assert.include(failure.detail, "waiting");
    }).pipe(Effect.provideService(Expectation.Patience, "5 millis")),
  );
});
