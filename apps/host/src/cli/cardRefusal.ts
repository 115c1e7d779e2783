/**
 * A card that cannot be used, as a refusal of the command line.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import type { CardFault } from "@cahier/sillytavern/card/CardFault";

/** The refusal, under the code of what is wrong with the card. */
export const cardRefusal = (fault: CardFault): Fatal =>
  fatal(cardCodes[fault.reason._tag], fault.detail, { cause: fault });

const cardCodes = {
  NotACard: "card.not_a_card",
  Damaged: "card.damaged",
  Unsupported: "card.unsupported",
  Missing: "card.not_found",
  Unreadable: "card.unreadable",
} as const satisfies Record<CardFault["reason"]["_tag"], FailureCode>;
