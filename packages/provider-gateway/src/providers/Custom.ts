/**
 * Any endpoint by its base URL, in any format: Ollama, llama.cpp, vLLM, a proxy. The credentials are as the format's own
 * vendor wants them.
 */
import * as AnthropicMessages from "../protocols/anthropic-messages/AnthropicMessages.ts";
import * as GeminiGenerateContent from "../protocols/gemini-generate-content/GeminiGenerateContent.ts";
import * as GeminiInteractions from "../protocols/gemini-interactions/GeminiInteractions.ts";
import * as OpenAiChat from "../protocols/openai-chat/OpenAiChat.ts";
import * as OpenAiResponses from "../protocols/openai-responses/OpenAiResponses.ts";
import type { Source } from "../Route.ts";
import { byFormat } from "./byFormat.ts";
import { openAiLimits } from "../protocols/openai-chat/internal/Dialect.ts";

export const source: Source = {
  source: "custom",
  baseUrl: undefined,
  secret: "optional",
  auth: byFormat,
  protocols: [
    // It may be OpenAI's, under another address.
    OpenAiChat.make({ outputLimit: "max_tokens", replaysReasoning: true, limits: openAiLimits }),
    OpenAiResponses.make(),
    AnthropicMessages.make({ host: "anthropic" }),
    GeminiGenerateContent.make(),
    GeminiInteractions.make(),
  ],
};
