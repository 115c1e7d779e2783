/**
 * How many runs that have ended are kept, and how much of each.
 */
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { refuse, type Refusal } from "../workspace/Refusal.ts";

/**
 * The `keepFullRecentRuns` that ended last stay whole, up to `keepRecentTerminalRuns` keep their core history, and what
 * ended before is removed: by itself when `autoPruneEnabled`, else when somebody asks for it.
 */
export const RetentionSettings = Schema.Struct({
  autoPruneEnabled: Schema.Boolean,
  keepRecentTerminalRuns: Schema.Finite,
  keepFullRecentRuns: Schema.Finite,
});
export type RetentionSettings = typeof RetentionSettings.Type;

/** What holds until somebody says otherwise. */
export const defaults: RetentionSettings = {
  autoPruneEnabled: false,
  keepRecentTerminalRuns: 100,
  keepFullRecentRuns: 20,
};

/** The most runs that can be kept. */
export const mostRuns = 10_000;

export type RetentionRefusal = Refusal<
  "agent.retention_keep_full_recent_runs_invalid" | "agent.retention_keep_recent_terminal_runs_invalid"
>;

/** The settings when they can be held, else which of the two numbers is wrong. */
export const check = (settings: RetentionSettings): Result.Result<RetentionSettings, RetentionRefusal> => {
  const { keepFullRecentRuns, keepRecentTerminalRuns } = settings;
  if (!isCount(keepRecentTerminalRuns))
    return refuse(
      "agent.retention_keep_recent_terminal_runs_invalid",
      `keepRecentTerminalRuns is a whole number from 0 to ${mostRuns}; ${keepRecentTerminalRuns} is none.`,
    );
  if (!isCount(keepFullRecentRuns))
    return refuse(
      "agent.retention_keep_full_recent_runs_invalid",
      `keepFullRecentRuns is a whole number from 0 to ${mostRuns}; ${keepFullRecentRuns} is none.`,
    );
  return keepFullRecentRuns <= keepRecentTerminalRuns
    ? Result.succeed(settings)
    : refuse(
        "agent.retention_keep_full_recent_runs_invalid",
        `keepFullRecentRuns (${keepFullRecentRuns}) is at most keepRecentTerminalRuns (${keepRecentTerminalRuns}): what is not kept cannot be kept whole.`,
      );
};

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0 && value <= mostRuns;
