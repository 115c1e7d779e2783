/**
 * A deliberately broken adapter, which proves that a law can fail.
 *
 * Owns the form of a mutant and the proof. A mutant breaks any correct harness, so it serves every adapter of a port.
 */
import * as Effect from "effect/Effect";
import * as Expectation from "./Expectation.ts";
import * as Law from "./Law.ts";

/** `breaks` is called once for each fresh harness, so what it closes over is shared by all views of one storage. */
export interface Mutant<Harness> {
  readonly kills: string;
  /** What is broken, such as `an append that drops the second event`. */
  readonly title: string;
  readonly breaks: (harness: Harness) => Harness;
}

/**
 * Fails when `law` passes on the broken harness, or does not pass on the unbroken one. What a mutant never does is
 * waited for half a second only; a correct adapter on a busy machine gets the law's whole patience.
 */
export const dies = <Harness>(
  mutant: Mutant<Harness>,
  law: Law.Law<Harness>,
  makeHarness: Law.MakeHarness<Harness>,
): Effect.Effect<void, unknown> =>
  Law.check(law, makeHarness).pipe(
    Effect.andThen(
      Law.mustFail(law, Effect.map(makeHarness, mutant.breaks)).pipe(
        Effect.provideService(Expectation.Patience, "500 millis"),
      ),
    ),
  );

/** Fails, naming them, when a law has no mutant or a mutant names a law that is not there. */
export const covers = <Harness>(
  laws: ReadonlyArray<Law.Law<Harness>>,
  mutants: ReadonlyArray<Mutant<Harness>>,
): Effect.Effect<void, Expectation.LawBroken> => {
  const ids = new Set(laws.map((law) => law.id));
  const killed = new Set(mutants.map((mutant) => mutant.kills));
  return Effect.all(
    [
      Expectation.same(
        "laws without a mutant",
        [...ids].filter((id) => !killed.has(id)),
        [],
      ),
      Expectation.same(
        "mutants without a law",
        [...killed].filter((id) => !ids.has(id)),
        [],
      ),
      Expectation.same("number of law ids", ids.size, laws.length),
    ],
    { discard: true },
  );
};
