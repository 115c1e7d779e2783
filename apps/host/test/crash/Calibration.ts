/**
 * How long the story takes here when nobody kills it.
 */
/* oxlint-disable eslint/no-await-in-loop -- a machine that does two things at once is no measure */
import { trial } from "./Trial.ts";

/** Milliseconds from the data folder's appearance to the end of the process: the middle of three runs. */
export const measure = async (options: { readonly executable: string; readonly folder: string }): Promise<number> => {
  const times: Array<number> = [];
  for (const _ of [1, 2, 3]) {
    const { violations, spanMs } = await trial({ ...options, kills: [] });
    if (violations.length > 0) throw new Error(`a run that nobody kills fails: ${violations.join("; ")}`);
    times.push(spanMs);
  }
  return times.toSorted((one, other) => one - other)[1] ?? 0;
};
