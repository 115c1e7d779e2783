/**
 * Thinking as Gemini's models take it: those from 3 on a level, those of 2.5 a budget of tokens.
 */
import type { ReasoningParameters } from "@cahier/domain/model/ModelRequest";
import * as lostParameters from "./lostParameters.ts";
import type { OnLoss } from "./sessionEncoder.ts";

export type Level = "minimal" | "low" | "medium" | "high";

/** What a model is told; `budget` 0 is no thinking. */
export type Thinking = { readonly level: Level } | { readonly budget: number };

/** The settings for a model; undefined where nobody asks, and where it cannot be, which is said. */
export const of = (
  modelId: string,
  reasoning: ReasoningParameters | undefined,
  onLoss: OnLoss,
): Thinking | undefined => {
  if (reasoning === undefined) return undefined;
  const { budgetTokens, effort } = reasoning;
  if (isLevelled(modelId)) {
    if (budgetTokens !== undefined) return { budget: budgetTokens };
    const level = effort === undefined ? undefined : levelOf(effort, onLoss);
    return level === undefined ? undefined : { level };
  }
  if (!/gemini-2\.5/.test(modelId)) {
    onLoss(lostParameters.sentence("reasoning", "the model does not think"));
    return undefined;
  }
  if (budgetTokens !== undefined) return { budget: budgetTokens };
  // The largest of these models always thinks a little.
  if (effort === "none") return { budget: modelId.includes("-pro") ? 128 : 0 };
  const budget = effort === undefined ? undefined : known(budgets, effort, onLoss);
  return budget === undefined ? undefined : { budget };
};

/** Whether a model takes levels. */
export const isLevelled = (modelId: string): boolean => /gemini-(?:[3-9]|\d\d)/.test(modelId);

/** The level of an effort; undefined, and said, for one that has none. */
export const levelOf = (effort: string, onLoss: OnLoss): Level | undefined => known(levels, effort, onLoss);

const known = <Value>(table: Readonly<Record<string, Value>>, effort: string, onLoss: OnLoss): Value | undefined => {
  const value = table[effort];
  if (value === undefined) onLoss(lostParameters.sentence("reasoning.effort", `the protocol has no "${effort}"`));
  return value;
};

/** A model that takes levels cannot be kept from thinking. */
const levels: Readonly<Record<string, Level>> = {
  none: "minimal",
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

const budgets: Readonly<Record<string, number>> = {
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
