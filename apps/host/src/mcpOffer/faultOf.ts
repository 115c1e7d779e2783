/**
 * A failure of this host as other clients are told it.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { failureCodes, isFailureCode } from "@cahier/domain/failure/FailureCode";
import { OfferFault } from "@cahier/mcp-server/Offer";

/** What was asked for wrongly is refused; what this host cannot do now is unavailable. */
export const faultOf = ({ message, reason: { code } }: Fatal): OfferFault =>
  new OfferFault({ kind: kindOf(code), message, code });

const kindOf = (code: string): OfferFault["kind"] => {
  if (code === "agent.run_not_found") return "runNotFound";
  if (code === "workspace.file_not_found") return "fileNotFound";
  return isFailureCode(code) && failureCodes[code].class !== "fatal" ? "refused" : "unavailable";
};
