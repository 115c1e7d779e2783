/**
 * NanoGPT, a router in front of many vendors.
 */
import { compatible } from "./compatible.ts";
import { openAiLimits } from "../protocols/openai-chat/internal/Dialect.ts";

export const source = compatible("nanogpt", "https://nano-gpt.com/api/v1", {
  replaysReasoning: true,
  router: "nanogpt",
  limits: openAiLimits,
});
