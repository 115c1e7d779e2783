/**
 * Groq, which refuses fields of messages that it does not know.
 */
import { compatible } from "./compatible.ts";

export const source = compatible("groq", "https://api.groq.com/openai/v1", { replaysReasoning: false });
