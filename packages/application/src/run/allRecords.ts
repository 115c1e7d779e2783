/**
 * The records of all runs of a storage, whatever their number.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { type ListOptions, RunJournal, type RunRecord } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import { classifyStorage } from "../failure/classifyStorage.ts";

/** Newest first, as the journal lists them. */
export const allRecords = Effect.fnUntraced(function* (
  options: Pick<ListOptions, "workspaceId"> = {},
): Effect.fn.Return<ReadonlyArray<RunRecord>, Fatal, RunJournal> {
  const journal = yield* RunJournal;
  const records: Array<RunRecord> = [];
  for (;;) {
    const last = records.at(-1);
    const page = yield* journal
      .list({ ...options, limit: recordsPerPage, ...(last === undefined ? {} : { before: last }) })
      .pipe(Effect.mapError(classifyStorage));
    records.push(...page);
    if (page.length < recordsPerPage) return records;
  }
});

const recordsPerPage = 200;
