/**
 * Says which parameters of a request a wire has no place for.
 */
import type { GenerationParameters, ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { OnLoss } from "./sessionEncoder.ts";

export type Parameter =
  | Exclude<keyof GenerationParameters, "reasoning">
  | "reasoning.effort"
  | "reasoning.budgetTokens";

/** A sentence for each of these parameters that is set. Calls one after the other are what no wire forbids. */
export const report = (
  parameters: GenerationParameters,
  names: ReadonlyArray<Parameter>,
  why: string,
  onLoss: OnLoss,
): void => {
  for (const name of names) {
    const value = valueOf(parameters, name);
    if (value === undefined || (name === "parallelToolCalls" && value === true)) continue;
    onLoss(`${name} is not sent: ${why}`);
  }
};

/** Says that nobody is asked to keep the prompt. */
export const reportCache = ({ binding }: ModelRequest, onLoss: OnLoss): void => {
  if (binding.promptCacheTtl !== undefined) onLoss(`promptCacheTtl is not sent: ${noPlace}`);
};

export const noPlace = "the protocol has none";

const valueOf = (parameters: GenerationParameters, name: Parameter): unknown => {
  if (name === "reasoning.effort") return parameters.reasoning?.effort;
  return name === "reasoning.budgetTokens" ? parameters.reasoning?.budgetTokens : parameters[name];
};
