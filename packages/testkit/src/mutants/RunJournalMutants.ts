/**
 * Broken journals: at least one for each law of RunJournal.
 */
import type { RunJournalHarness } from "../laws/RunJournalLaws.ts";
import type { Mutant } from "../Mutant.ts";
import * as Appending from "./runJournal/Appending.ts";
import * as Owning from "./runJournal/Owning.ts";
import * as Reading from "./runJournal/Reading.ts";
import * as Surviving from "./runJournal/Surviving.ts";

export const mutants: ReadonlyArray<Mutant<RunJournalHarness>> = [
  ...Appending.mutants,
  ...Owning.mutants,
  ...Reading.mutants,
  ...Surviving.mutants,
];
