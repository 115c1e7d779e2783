/**
 * The tokens that are left while a prompt is filled.
 */
import * as TokenCounter from "../tokens/TokenCounter.ts";
import type { PromptMessage } from "./AssemblyInput.ts";

export interface TokenBudget {
  /** What a message costs; one without text costs nothing. */
  readonly cost: (message: Omit<PromptMessage, "part">) => number;
  /** Takes the tokens if there are so many; says whether it did. */
  readonly take: (tokens: number) => boolean;
}

/** For the beginning of the answer. */
export const primedReply = 3;

/** `tokens` are those of the context less the response and the primed reply. */
export const make = (counter: TokenCounter.TokenCounter, tokens: number): TokenBudget => {
  let left = tokens;
  return {
    cost: (message) => TokenCounter.ofMessage(counter, message),
    take: (wanted) => {
      if (wanted > left) return false;
      left -= wanted;
      return true;
    },
  };
};
