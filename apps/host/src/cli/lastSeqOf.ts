/**
 * Where a run's journal ends at the moment.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";

/** The number of a run's last event; 0 where that cannot be told. */
export const lastSeqOf = (runId: RunId): Effect.Effect<number, never, RunJournal> =>
  Effect.flatMap(RunJournal, (journal) =>
    journal.read(runId, { limit: 1 }).pipe(
      Effect.map(({ lastSeq }) => lastSeq),
      Effect.orElseSucceed(() => 0),
    ),
  );
