/**
 * What a chat-completion preset says of sampling and of the length of the answer.
 */
import type { GenerationParameters } from "@cahier/domain/model/ModelRequest";
import type { JsonObject } from "../chat/internal/json.ts";
import * as fields from "../internal/fields.ts";

/**
 * Only what the file states: a field that is absent, of the wrong kind, or leaves the choice to the model (`top_k` 0, a
 * negative `seed`, `auto`) gives none. The effort `min` is called `minimal` here.
 */
export const generationParameters = (file: JsonObject): GenerationParameters => {
  const temperature = fields.numberOrNull(file, "temperature");
  const topP = fields.numberOrNull(file, "top_p");
  const topK = wholeNumber(file, "top_k", 1);
  const frequencyPenalty = fields.numberOrNull(file, "frequency_penalty");
  const presencePenalty = fields.numberOrNull(file, "presence_penalty");
  const seed = wholeNumber(file, "seed", 0);
  const effort = effortOf(fields.text(file, "reasoning_effort"));
  const verbosity = verbosities.find((level) => level === file["verbosity"]);
  const maxOutputTokens = wholeNumber(file, "openai_max_tokens", 1);
  return {
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { topP }),
    ...(topK === null ? {} : { topK }),
    ...(frequencyPenalty === null ? {} : { frequencyPenalty }),
    ...(presencePenalty === null ? {} : { presencePenalty }),
    ...(seed === null ? {} : { seed }),
    ...(effort === null ? {} : { reasoning: { effort } }),
    ...(verbosity === undefined ? {} : { verbosity }),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
  };
};

const wholeNumber = (file: JsonObject, key: string, least: number): number | null => {
  const value = fields.numberOrNull(file, key);
  return value !== null && Number.isSafeInteger(value) && value >= least ? value : null;
};

const effortOf = (effort: string): string | null => {
  if (effort === "" || effort === "auto") return null;
  return effort === "min" ? "minimal" : effort;
};

const verbosities = ["low", "medium", "high"] as const;
