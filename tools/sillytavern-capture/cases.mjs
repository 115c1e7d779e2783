/**
 * Every case of a prompt. A case without turns asks once, after the chat as it is.
 */
import { cases as history } from "./historyCases.mjs";
import { cases as lore } from "./loreCases.mjs";
import { cases as notes } from "./notesCases.mjs";
import { cases as order } from "./orderCases.mjs";

/** The cases in the order in which they are captured. */
export const cases = [...order, ...notes, ...lore, ...history].map((prompt) => ({
  turns: [{ reply: "She nods." }],
  ...prompt,
}));
