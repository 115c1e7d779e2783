/**
 * Chutes, a host of open models.
 */
import { compatible } from "./compatible.ts";

export const source = compatible("chutes", "https://llm.chutes.ai/v1", { replaysReasoning: true });
