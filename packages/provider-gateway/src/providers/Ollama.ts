/**
 * Ollama on this machine, which needs no key.
 */
import type { Source } from "../Route.ts";
import { compatible } from "./compatible.ts";
import { textLimits } from "../protocols/openai-chat/internal/Dialect.ts";

export const source: Source = {
  ...compatible("ollama", "http://127.0.0.1:11434/v1", { replaysReasoning: true, limits: textLimits }),
  secret: "optional",
};
