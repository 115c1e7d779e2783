/**
 * Registers laws as tests. The only module of this package that needs a test runner.
 */
import { describe, it } from "@effect/vitest";
import type * as Effect from "effect/Effect";
import * as Law from "./Law.ts";
import * as Mutant from "./Mutant.ts";

/**
 * One test per law, each on a fresh harness and in real time. `lacks` says why an ability is not there: its laws are
 * registered as skipped with that reason. A law that needs what the harness does not have fails if `lacks` is silent.
 */
export const verify = <Harness>(
  subject: string,
  laws: ReadonlyArray<Law.Law<Harness>>,
  makeHarness: Law.MakeHarness<Harness>,
  lacks: Law.Lacks<Harness> = {},
): void => {
  describe(`${subject} keeps the laws of its port`, () => {
    for (const law of laws) register(law.id, law.title, Law.inapplicable(law, lacks), Law.check(law, makeHarness));
  });
};

/**
 * One test per mutant: the law that it breaks fails on the broken harness. Also that each law has a mutant, and that
 * no mutant names a law that is not there. Mutants of laws that `lacks` excludes are registered as skipped.
 */
export const verifyMutants = <Harness>(
  subject: string,
  laws: ReadonlyArray<Law.Law<Harness>>,
  mutants: ReadonlyArray<Mutant.Mutant<Harness>>,
  makeHarness: Law.MakeHarness<Harness>,
  lacks: Law.Lacks<Harness> = {},
): void => {
  describe(`${subject} laws notice what is broken`, () => {
    it.effect("every law has a mutant and every mutant a law", () => Mutant.covers(laws, mutants));
    for (const mutant of mutants) {
      const law = laws.find((candidate) => candidate.id === mutant.kills);
      if (law === undefined) continue;
      register(law.id, `fails on ${mutant.title}`, Law.inapplicable(law, lacks), Mutant.dies(mutant, law, makeHarness));
    }
  });
};

/** A law that does not apply is registered as a skipped test, so that its reason stands in every report. */
const register = (
  id: string,
  title: string,
  inapplicable: string | null,
  check: Effect.Effect<void, unknown>,
): void => {
  const reason = inapplicable === null ? "" : ` (not applicable: ${inapplicable})`;
  it.live(`${id} ${title}${reason}`, () => check, { timeout: 30_000, skip: inapplicable !== null });
};
