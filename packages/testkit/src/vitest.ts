/**
 * Registers laws as tests. The only module of this package that needs a test runner.
 */
import { describe, it } from "@effect/vitest";
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
    for (const law of laws) {
      const reason = Law.inapplicable(law, lacks);
      if (reason === null) it.live(`${law.id} ${law.title}`, () => Law.check(law, makeHarness), timeoutMs);
      else it.skip(`${law.id} ${law.title} (not applicable: ${reason})`);
    }
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
      const reason = Law.inapplicable(law, lacks);
      const title = `${law.id} fails on ${mutant.title}`;
      if (reason === null) it.live(title, () => Mutant.dies(mutant, law, makeHarness), timeoutMs);
      else it.skip(`${title} (not applicable: ${reason})`);
    }
  });
};

const timeoutMs = 30_000;
