/**
 * What a profile says of how much of an agent's work its model is shown.
 */
import type { CompleteProfile } from "@cahier/domain/profile/CompleteProfile";

/** The profile's `context`, and the language of what stands in the place of what is left out. */
export interface ContextRules extends Pick<
  CompleteProfile["context"],
  "hydrateRecentWrites" | "toolResults" | "windowTokens"
> {
  readonly language: CompleteProfile["instructions"]["language"];
}

/** The window that is assumed of a model when neither the profile nor anything else says how large it is, in tokens. */
export const assumedWindowTokens = 32_768;

/** What is kept free of a window for the answer when the request does not limit it. */
export const reservedTokens = (windowTokens: number, maxOutputTokens: number | undefined): number =>
  Math.min(maxOutputTokens ?? 4096, Math.floor(windowTokens / (maxOutputTokens === undefined ? 8 : 2)));

/** How much of a window the prompt may take when it is made, so that there is room for the work. */
export const promptBudget = ({ windowTokens = assumedWindowTokens }: Pick<ContextRules, "windowTokens">): number =>
  Math.floor(windowTokens * 0.75);
