/**
 * What OpenAI's own models take, by their names, whoever they are reached through.
 */

/** A model that reasons refuses sampling; those for chats among the newer ones do not reason. */
export const reasons = (modelId: string): boolean => /^(?:o\d|gpt-5(?!-chat|\.\d+-chat))/.test(modelId);

/** The name by which a router knows a model of OpenAI, as OpenAI knows it; undefined for the models of others. */
export const routedName = (modelId: string): string | undefined =>
  modelId.startsWith(routed) ? modelId.slice(routed.length) : undefined;

const routed = "openai/";
