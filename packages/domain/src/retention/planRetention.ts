/**
 * What becomes of each run under the settings: a function of the runs, so that a plan can be shown before it is carried out.
 *
 * Core history is the journal with everything that stands in its events, and what lists show of the run. The rest is content
 * that was too long for its event (prompts, arguments, results, answers, versions of files): a slim run has none of it.
 */
import type { RunId, WorkspaceId } from "../identity/Identity.ts";
import type { RetentionSettings } from "./RetentionSettings.ts";

/** Why a run is left as it is, whatever the settings say. */
export type BlockReason = "active_run" | "missing_terminal_event" | "invalid_journal" | "invalid_storage";

/**
 * A run as retention sees it. `endedAt` is the time of its end, ISO 8601, and null while `blocked` says why it has none.
 * `blobs` and `bytes` are of its content beside the journal.
 */
export interface RetainedRun {
  readonly runId: RunId;
  readonly workspaceId: WorkspaceId;
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly blocked: BlockReason | null;
  readonly blobs: number;
  readonly bytes: number;
}

/** What is done with a run that is not kept as it is. */
export interface PruneCandidate extends RetainedRun {
  readonly action: "slim_heavy_artifacts" | "delete_run";
  readonly reason: "outside_full_retention_window" | "outside_history_retention_window";
}

export interface BlockedRun extends RetainedRun {
  readonly blocked: BlockReason;
}

/** `fullRetained` and `coreRetained` are kept as they are; a run that is slim already is among the latter. */
export interface RetentionPlan {
  readonly settings: RetentionSettings;
  readonly terminal: number;
  readonly nonTerminal: number;
  readonly fullRetained: number;
  readonly coreRetained: number;
  readonly candidates: ReadonlyArray<PruneCandidate>;
  readonly blocked: ReadonlyArray<BlockedRun>;
}

/** The plan: runs are ranked by when they ended, the last first, and of those that ended at once by their id. */
export const planRetention = (runs: ReadonlyArray<RetainedRun>, settings: RetentionSettings): RetentionPlan => {
  const terminal = runs.filter(({ blocked }) => blocked === null).toSorted(lastFirst);
  const { keepFullRecentRuns, keepRecentTerminalRuns } = settings;
  const beyondFull = terminal.slice(keepFullRecentRuns, keepRecentTerminalRuns);
  const heavy = beyondFull.filter(({ blobs }) => blobs > 0);
  return {
    settings,
    terminal: terminal.length,
    nonTerminal: runs.filter(({ blocked }) => blocked === "active_run" || blocked === "missing_terminal_event").length,
    fullRetained: Math.min(terminal.length, keepFullRecentRuns),
    coreRetained: beyondFull.length - heavy.length,
    candidates: [
      ...heavy.map((run): PruneCandidate => ({
        ...run,
        action: "slim_heavy_artifacts",
        reason: "outside_full_retention_window",
      })),
      ...terminal
        .slice(keepRecentTerminalRuns)
        .map((run): PruneCandidate => ({ ...run, action: "delete_run", reason: "outside_history_retention_window" })),
    ],
    blocked: runs.flatMap((run) => (run.blocked === null ? [] : [{ ...run, blocked: run.blocked }])),
  };
};

const lastFirst = (one: RetainedRun, other: RetainedRun): number => {
  const [ended, otherEnded] = [one.endedAt ?? one.createdAt, other.endedAt ?? other.createdAt];
  if (ended !== otherEnded) return ended < otherEnded ? 1 : -1;
  return one.runId < other.runId ? 1 : -1;
};
