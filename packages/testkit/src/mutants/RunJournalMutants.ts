/**
 * Broken journals: at least one for each law of RunJournal.
 */
import type { RunJournalHarness } from "../laws/RunJournalLaws.ts";
import type { Mutant } from "../Mutant.ts";
import * as Appending from "../internal/mutants/runJournal/Appending.ts";
import * as Owning from "../internal/mutants/runJournal/Owning.ts";
import * as Reading from "../internal/mutants/runJournal/Reading.ts";
import * as Restoring from "../internal/mutants/runJournal/Restoring.ts";
import * as Surviving from "../internal/mutants/runJournal/Surviving.ts";

export const mutants: ReadonlyArray<Mutant<RunJournalHarness>> = [
  ...Appending.mutants,
  ...Owning.mutants,
  ...Reading.mutants,
  ...Restoring.mutants,
  ...Surviving.mutants,
];
