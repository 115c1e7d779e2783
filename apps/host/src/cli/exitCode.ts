/**
 * What the program's exit code says.
 */
import { failureCodes, type FailureEntry } from "@cahier/domain/failure/FailureCode";
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunOutcome } from "@cahier/application/run/RunOutcome";
import { unopened } from "../composition/Storage.ts";

/**
 * 0 completed, 2 partial success, 3 failed, 5 waiting for a decision, 130 cancelled. A revision without a result leaves its
 * run completed, and is what the code tells of.
 */
export const exitCodeOf = ({ revision, status }: Pick<RunOutcome, "revision" | "status">): number => {
  switch (status) {
    case "completed":
      return codeOfRevision(revision ?? "completed");
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

const codeOfRevision = (outcome: NonNullable<RunOutcome["revision"]>): number => {
  switch (outcome) {
    case "completed":
      return 0;
    case "failed":
      return 3;
    case "cancelled":
      return 130;
    default:
      return outcome satisfies never;
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
