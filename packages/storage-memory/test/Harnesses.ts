/**
 * The memory adapters as the laws meet them: every view of a harness shares one storage object.
 */
import type { RunJournalHarness } from "@cahier/testkit/laws/RunJournalLaws";
import * as Effect from "effect/Effect";
import * as MemoryRunJournal from "../src/MemoryRunJournal.ts";

export const makeJournalHarness = Effect.sync((): RunJournalHarness => {
  const storage = MemoryRunJournal.makeStorage();
  return {
    open: Effect.sync(() => MemoryRunJournal.make(storage)),
    tear: (runId, tear) =>
      "cutBytes" in tear ? MemoryRunJournal.tear(storage, runId) : MemoryRunJournal.leaveHalfLine(storage, runId),
    damage: (runId, seq) => MemoryRunJournal.damage(storage, runId, seq),
  };
});
