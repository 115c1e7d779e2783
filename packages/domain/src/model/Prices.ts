/**
 * What a model's tokens cost, and what a response came to.
 *
 * Owns the arithmetic. Does not own where prices come from: a connection states them or nothing is counted.
 */
import * as Schema from "effect/Schema";
import type { Usage } from "./ModelResponse.ts";

/** `currency` is a code such as `EUR`; the others are prices of a million tokens. Without `cached` they cost as input. */
export const Prices = Schema.Struct({
  currency: Schema.String,
  input: Schema.Finite,
  cached: Schema.optionalKey(Schema.Finite),
  output: Schema.Finite,
});
export type Prices = typeof Prices.Type;

/** The price of a response in the currency of `prices`. Cached tokens are among the input tokens. */
export const costOf = (prices: Prices, { cachedTokens = 0, inputTokens, outputTokens }: Usage): number => {
  const fresh = Math.max(0, inputTokens - cachedTokens);
  return (fresh * prices.input + cachedTokens * (prices.cached ?? prices.input) + outputTokens * prices.output) / 1e6;
};
