/**
 * Cohere, by its endpoint that is compatible with OpenAI's.
 */
import { compatible } from "./compatible.ts";

export const source = compatible("cohere", "https://api.cohere.ai/compatibility/v1", { replaysReasoning: false });
