import * as RunJournalLaws from "@cahier/testkit/laws/RunJournalLaws";
import { verify } from "@cahier/testkit/vitest";
import { makeJournalHarness } from "./Harnesses.ts";

verify("MemoryRunJournal", RunJournalLaws.laws, makeJournalHarness, {
  powerLoss: "what is in memory ends with the process, by design",
});
