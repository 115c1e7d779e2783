/**
 * OpenRouter, a router in front of most vendors. It wants `reasoning_details` back as they came.
 */
import * as openAiModels from "../internal/openAiModels.ts";
import * as OpenAiResponses from "../protocols/openai-responses/OpenAiResponses.ts";
import type { Source } from "../Route.ts";
import { compatible } from "./compatible.ts";
import { openAiLimits } from "../protocols/openai-chat/internal/Dialect.ts";

const chat = compatible("openrouter", "https://openrouter.ai/api/v1", {
  replaysReasoning: true,
  router: "openrouter",
  limits: { ...openAiLimits, fileAddress: "asFile" },
  refusesSampling: (modelId) => openAiModels.reasons(openAiModels.routedName(modelId) ?? ""),
});

export const source: Source = { ...chat, protocols: [...chat.protocols, OpenAiResponses.make()] };
