/**
 * OpenAI itself. It needs a key, refuses `max_tokens` for its newer models and knows no `reasoning_content`.
 */
import * as openAiModels from "../internal/openAiModels.ts";
import * as OpenAiChat from "../protocols/openai-chat/OpenAiChat.ts";
import * as OpenAiResponses from "../protocols/openai-responses/OpenAiResponses.ts";
import type { Source } from "../Route.ts";
import { bearer } from "./bearer.ts";
import { openAiLimits } from "../protocols/openai-chat/internal/Dialect.ts";

const protocols = (strictTools: boolean) => [
  OpenAiChat.make({
    outputLimit: "max_completion_tokens",
    replaysReasoning: false,
    limits: openAiLimits,
    strictTools,
    refusesSampling: openAiModels.reasons,
  }),
  OpenAiResponses.make({ strictTools }),
];

export const source: Source = {
  source: "openai",
  baseUrl: "https://api.openai.com/v1",
  secret: "required",
  auth: bearer,
  protocols: protocols(false),
  strictProtocols: protocols(true),
};
