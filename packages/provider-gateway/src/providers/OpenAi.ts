/**
 * OpenAI itself. It needs a key, refuses `max_tokens` for its newer models and knows no `reasoning_content`.
 */
import * as OpenAiChat from "../protocols/openai-chat/OpenAiChat.ts";
import * as OpenAiResponses from "../protocols/openai-responses/OpenAiResponses.ts";
import type { Source } from "../Route.ts";
import { bearer } from "./bearer.ts";

export const source: Source = {
  source: "openai",
  baseUrl: "https://api.openai.com/v1",
  secret: "required",
  auth: bearer,
  protocols: [
    OpenAiChat.make({ outputLimit: "max_completion_tokens", replaysReasoning: false }),
    OpenAiResponses.make(),
  ],
};
