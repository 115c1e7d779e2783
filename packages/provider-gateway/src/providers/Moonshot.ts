/**
 * Moonshot, whose thinking models want their reasoning back.
 */
import { compatible } from "./compatible.ts";

export const source = compatible("moonshot", "https://api.moonshot.ai/v1", { replaysReasoning: true });
