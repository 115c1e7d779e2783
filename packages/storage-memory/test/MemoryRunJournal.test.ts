import type { RunId } from "@cahier/domain/identity/Identity";
import * as RunJournalLaws from "@cahier/testkit/laws/RunJournalLaws";
import { verify } from "@cahier/testkit/vitest";
import * as Effect from "effect/Effect";
import * as MemoryRunJournal from "../src/MemoryRunJournal.ts";

const makeHarness = Effect.sync((): RunJournalLaws.RunJournalHarness => {
  const storage = MemoryRunJournal.makeStorage();
  return {
    open: Effect.sync(() => MemoryRunJournal.make(storage)),
    tear: (runId: RunId, tear) =>
      "cutBytes" in tear ? MemoryRunJournal.tear(storage, runId) : MemoryRunJournal.leaveHalfLine(storage, runId),
    damage: (runId, seq) => MemoryRunJournal.damage(storage, runId, seq),
  };
});

verify("MemoryRunJournal", RunJournalLaws.laws, makeHarness, {
  powerLoss: "what is in memory ends with the process, by design",
});
