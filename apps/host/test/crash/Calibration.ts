/**
 * How long the story takes here and how large its journal becomes when nobody kills it.
 */
import { trial, type TrialOptions } from "./Trial.ts";

/** Milliseconds from the start to the end of the process, and bytes of the journal. */
export interface Whole {
  readonly spanMs: number;
  readonly journalBytes: number;
}

/** Fails when a run that nobody kills does not keep what the suite demands. */
export const measure = async (options: Omit<TrialOptions, "kills">): Promise<Whole> => {
  const { violations, spanMs, journalBytes } = await trial({ ...options, kills: [] });
  if (violations.length > 0) throw new Error(`a run that nobody kills fails: ${violations.join("; ")}`);
  return { spanMs, journalBytes };
};
