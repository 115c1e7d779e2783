/**
 * How a run ended, in the words of a person.
 */
import type { RunOutcome } from "@cahier/application/run/RunOutcome";

/** The status; of a run whose revision came to nothing, that as well. */
export const wordsOf = ({ revision, status }: Pick<RunOutcome, "revision" | "status">): string =>
  status === "completed" && revision !== undefined && revision !== "completed"
    ? `completed as before, its revision ${revision}`
    : status;
