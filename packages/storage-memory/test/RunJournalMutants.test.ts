import * as RunJournalLaws from "@cahier/testkit/laws/RunJournalLaws";
import * as RunJournalMutants from "@cahier/testkit/mutants/RunJournalMutants";
import { verifyMutants } from "@cahier/testkit/vitest";
import * as Effect from "effect/Effect";
import { makeJournalHarness } from "./Harnesses.ts";

// Nothing is lost where nothing was left unsynced, so a memory stands for a storage that syncs every write.
const withPower = Effect.map(makeJournalHarness, (harness) => ({ ...harness, powerLoss: Effect.void }));

verifyMutants("RunJournal", RunJournalLaws.laws, RunJournalMutants.mutants, withPower);
