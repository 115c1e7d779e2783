/**
 * DeepSeek, whose thinking models refuse tool turns without their reasoning.
 */
import { compatible } from "./compatible.ts";
import { textLimits } from "../protocols/openai-chat/internal/Dialect.ts";

export const source = compatible("deepseek", "https://api.deepseek.com/v1", {
  replaysReasoning: true,
  limits: textLimits,
});
