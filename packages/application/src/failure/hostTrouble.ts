/**
 * Which failures are of the host that carries a run on, and not of the run.
 *
 * Another host, or this one once it is put right, can carry the run on: so the run is interrupted and has not ended.
 */
import { type Denied, type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { FailureCode } from "@cahier/domain/failure/FailureCode";

const ofThisHost: ReadonlySet<FailureCode> = new Set([
  "storage.full",
  "storage.read_only",
  "storage.failed",
  "model.not_configured",
]);

/** Whether a failure says something of the host alone. */
export const isHostTrouble = ({ reason }: Denied | Fatal): boolean => ofThisHost.has(reason.code);

/** The failure of a run that stands in its journal: it says that the run can be resumed. */
export const resumable = (failure: Denied | Fatal): Fatal => {
  const { _tag: area, code, message, details } = failure.reason;
  // Another data folder does not have the run: it goes on in the one that it is in.
  const when = area === "storage" ? "Once this storage can be written again, resume the run." : "Then resume the run.";
  return fatal(code, `${message} ${when}`, {
    cause: failure,
    ...(details === undefined ? {} : { details }),
  });
};
