/**
 * The runs of a storage as retention sees them.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { BlockReason, RetainedRun } from "@cahier/domain/retention/planRetention";
import { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import type { RunJournal, RunRecord } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { allRecords } from "../run/allRecords.ts";
import type { Ownership } from "../run/Ownership.ts";
import { type RunSummary, summaryOf, unreadable } from "../run/RunSummary.ts";

type Requirements = RunJournal | BlobStore | DocumentStore | Ownership;

/** Every run; one that cannot be read is there as blocked. */
export const gatherRuns = Effect.fn("Retention.gather")(function* (): Effect.fn.Return<
  ReadonlyArray<RetainedRun>,
  Fatal,
  Requirements
> {
  return yield* Effect.forEach(yield* allRecords(), retained, { concurrency: 4 });
});

const retained = Effect.fnUntraced(function* (record: RunRecord): Effect.fn.Return<RetainedRun, Fatal, Requirements> {
  const blobs = yield* BlobStore;
  const summary = yield* summaryOf(record).pipe(Effect.catch((failure) => Effect.succeed(unreadable(record, failure))));
  const content = yield* blobs.list(record.runId).pipe(Effect.mapError(classifyStorage));
  const blocked = blockOf(summary);
  return {
    ...record,
    endedAt: blocked === null ? (summary.endedAt ?? summary.updatedAt) : null,
    blocked,
    blobs: content.length,
    bytes: content.reduce((sum, { bytes }) => sum + bytes, 0),
  };
});

const blockOf = ({ standing }: RunSummary): BlockReason | null => {
  switch (standing) {
    case "ended":
      return null;
    case "running":
      return "active_run";
    case "waiting":
    case "interrupted":
      return "missing_terminal_event";
    case "damaged":
      return "invalid_journal";
    case "unreadable":
      return "invalid_storage";
    default:
      return standing satisfies never;
  }
};
