/**
 * Z.AI, the home of GLM, whose thinking models want their reasoning back.
 */
import { compatible } from "./compatible.ts";

export const source = compatible("zai", "https://api.z.ai/api/paas/v4", { replaysReasoning: true });
