/**
 * Carries on every run that was left lying, as a host does when it starts.
 *
 * Owns how many at once, and that one which cannot go on keeps no other from it. Does not own which runs these are
 * (`findResumable`) nor how one is resumed (`Runs`).
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import * as Effect from "effect/Effect";
import type * as Result from "effect/Result";
import { findResumable } from "./findResumable.ts";
import type { RunOutcome } from "./RunOutcome.ts";
import { type CarryOnOptions, Runs } from "./Runs.ts";
import type { RunHandle } from "./supervise.ts";

/**
 * `concurrency` runs are carried on at once, 8 unless it is stated. `manual`: those whose profile wants to be asked as well.
 * `onResumed` is called with each run as soon as it is carried on. Once `goOn` says no, no further one is begun.
 */
export interface ResumeAllOptions extends CarryOnOptions {
  readonly workspaceId?: WorkspaceId;
  readonly concurrency?: number;
  readonly manual?: boolean;
  readonly onResumed?: (run: RunHandle) => void;
  readonly goOn?: () => boolean;
}

/** What became of one run: how it stands when nobody carries it on any more, or why it could not be carried on. */
export interface ResumedRun {
  readonly runId: RunId;
  readonly result: Result.Result<RunOutcome, Fatal>;
}

/** Resumes the runs and waits for all of them, oldest first: it fails only when the runs cannot be listed. */
export const resumeAll = Effect.fn("Runs.resumeAll")(function* (options: ResumeAllOptions = {}) {
  const { concurrency = 8, goOn = () => true, manual = false, onResumed, workspaceId, ...carrying } = options;
  const runs = yield* Runs;
  const found = yield* findResumable(workspaceId === undefined ? {} : { workspaceId });
  const resumed = yield* Effect.forEach(
    found.filter(({ mode }) => manual || mode === "auto").toReversed(),
    ({ runId }) =>
      Effect.suspend(() => {
        if (!goOn()) return Effect.succeed([]);
        return runs.resume(runId, carrying).pipe(
          Effect.tap((run) => Effect.sync(() => onResumed?.(run))),
          Effect.flatMap((run) => run.outcome),
          Effect.result,
          Effect.map((result): ReadonlyArray<ResumedRun> => [{ runId, result }]),
        );
      }),
    { concurrency },
  );
  return resumed.flat();
});
