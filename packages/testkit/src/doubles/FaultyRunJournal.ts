/**
 * A RunJournal whose n-th append fails, before or after it has written.
 *
 * Owns the count of appends and the chosen fault. Does not own a journal: it wraps a correct one. Failing after writing
 * is what a caller sees whose disk took the bytes and whose answer was lost.
 */
import type { RunJournal } from "@cahier/ports/RunJournal";
import type { Conflict, Corrupt, Fenced, NotFound, Unavailable } from "@cahier/ports/StorageFault";
import { failing } from "../internal/doubles/failing.ts";

export interface Plan {
  /** Which append fails, from 1, counted over all runs. */
  readonly append: number;
  readonly fault: Conflict | Fenced | Corrupt | NotFound | Unavailable;
  /** Whether the append fails before its events are in the journal or when they are. */
  readonly moment: "beforeWriting" | "afterWriting";
  /** Whether every later append fails as well, as on a full disk. */
  readonly forever?: boolean;
}

/** `journal` with the fault of `plan`; everything but `append` is passed on. */
export const make = (journal: RunJournal["Service"], plan: Plan): RunJournal["Service"] => {
  const fails = failing({ ...plan, at: plan.append });
  return { ...journal, append: (runId, position, events) => fails(journal.append(runId, position, events)) };
};
