/**
 * The status of a run and which changes of it are legal.
 */
import * as Schema from "effect/Schema";

export const RunStatus = Schema.Literals([
  "created",
  "initializing_workspace",
  "assembling_context",
  "calling_model",
  "dispatching_tool",
  "applying_workspace_patch",
  "awaiting_approval",
  "awaiting_host_commit",
  "finishing",
  "interrupted",
  "completed",
  "partial_success",
  "cancelling",
  "cancelled",
  "failed",
]);
export type RunStatus = typeof RunStatus.Type;

/** A terminal status never changes again, except that a revision reopens a run that has completed once. */
export const isTerminal = (status: RunStatus): boolean =>
  status === "completed" || status === "partial_success" || status === "cancelled" || status === "failed";

/** Every legal change of status, except those that every non-terminal status allows: see `canChange`. */
export const legalChanges: { readonly [From in RunStatus]: ReadonlyArray<RunStatus> } = {
  created: ["initializing_workspace"],
  initializing_workspace: ["assembling_context"],
  assembling_context: ["calling_model", "finishing"],
  calling_model: ["dispatching_tool", "calling_model", "applying_workspace_patch", "awaiting_approval", "finishing"],
  dispatching_tool: [
    "calling_model",
    "applying_workspace_patch",
    "awaiting_approval",
    "awaiting_host_commit",
    "finishing",
    "assembling_context",
  ],
  applying_workspace_patch: ["dispatching_tool", "calling_model", "finishing"],
  awaiting_approval: ["dispatching_tool", "calling_model", "finishing"],
  awaiting_host_commit: ["dispatching_tool", "calling_model", "finishing"],
  finishing: ["completed"],
  interrupted: [
    "initializing_workspace",
    "assembling_context",
    "calling_model",
    "dispatching_tool",
    "awaiting_host_commit",
    "awaiting_approval",
    "finishing",
  ],
  completed: ["assembling_context"],
  partial_success: ["assembling_context"],
  cancelling: ["cancelled", "finishing"],
  cancelled: ["assembling_context"],
  failed: [],
};

const fromAnyOpen: ReadonlySet<RunStatus> = new Set(["interrupted", "cancelling", "failed", "partial_success"]);

/** Whether a run may go from one status to another. No status changes to itself except `calling_model`. */
export const canChange = (from: RunStatus, to: RunStatus): boolean =>
  legalChanges[from].includes(to) || (!isTerminal(from) && from !== to && fromAnyOpen.has(to));
