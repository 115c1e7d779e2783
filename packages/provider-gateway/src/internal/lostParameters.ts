/**
 * Says which settings of a request a wire has no place for, or a model does not take.
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
  for (const name of names) if (isSet(parameters, name)) onLoss(sentence(name, why));
};

/** Says that nobody is asked to keep the prompt. */
export const reportCache = ({ binding }: ModelRequest, onLoss: OnLoss): void => {
  if (binding.promptCacheTtl !== undefined) onLoss(sentence("promptCacheTtl", noPlace));
};

/** One setting was not sent. */
export const sentence = (name: Parameter | "promptCacheTtl" | "reasoning", why: string): string =>
  `The setting ${name} was not sent: ${why}.`;

/** An attachment was not sent. `of`: which one. */
export const attachment = (of: string): string => `An attachment ${of} was not sent: ${noPlace}.`;

/** A speaker was called something else. */
export const speaker = (name: string, sent: string): string =>
  `The name "${name}" was sent as "${sent}": the protocol takes no other characters.`;

/** A schema of a tool was not sent as it is. */
export const schema = (tool: string, change: string): string =>
  `The schema of the tool ${tool} was not sent as it is: ${change}.`;

export const noPlace = "the protocol has no place for it";
export const refused = "the model refuses it";

const isSet = (parameters: GenerationParameters, name: Parameter): boolean => {
  const value = valueOf(parameters, name);
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && !(name === "parallelToolCalls" && value === true);
};

const valueOf = (parameters: GenerationParameters, name: Parameter): unknown => {
  if (name === "reasoning.effort") return parameters.reasoning?.effort;
  return name === "reasoning.budgetTokens" ? parameters.reasoning?.budgetTokens : parameters[name];
};
