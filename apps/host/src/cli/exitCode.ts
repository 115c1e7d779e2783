/**
 * What the program's exit code says.
 */
import { failureCodes, type FailureEntry } from "@cahier/domain/failure/FailureCode";
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunStatus } from "@cahier/domain/run/RunStatus";
import { unopened } from "../composition/Storage.ts";

/** 0 completed, 2 partial success, 3 failed, 5 waiting for a decision, 130 cancelled. */
export const exitCodeOf = (status: RunStatus): number => {
  switch (status) {
    case "completed":
      return 0;
    case "partial_success":
      return 2;
    case "awaiting_approval":
      return 5;
    case "cancelled":
    case "cancelling":
      return 130;
    default:
      return 3;
  }
};

/** 4 for what the caller can put right before a run exists, 3 for everything else. */
export const exitCodeOfFailure = (failure: Fatal): number => {
  const { code, details } = failure.reason;
  const entry: FailureEntry = failureCodes[code];
  if (beforeARun.has(code) || details?.[unopened] !== undefined) return 4;
  return entry.class === "host" || entry.class === "recoverable" ? 4 : 3;
};

/** Of another class for a run that meets them; of the caller where they keep a run from starting. */
const beforeARun: ReadonlySet<string> = new Set(["agent.invalid_worldinfo_activation_snapshot", "model.source_denied"]);
