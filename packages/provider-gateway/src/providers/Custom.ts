/**
 * Any OpenAI-compatible endpoint by its base URL: Ollama, llama.cpp, vLLM, OpenRouter, a proxy.
 */
import * as OpenAiChat from "../protocols/openai-chat/OpenAiChat.ts";
import type { Source } from "../Route.ts";
import { bearer } from "./bearer.ts";

export const source: Source = {
  source: "custom",
  baseUrl: undefined,
  secret: "optional",
  auth: bearer,
  protocols: [OpenAiChat.make({ outputLimit: "max_tokens", replaysReasoning: true })],
};
