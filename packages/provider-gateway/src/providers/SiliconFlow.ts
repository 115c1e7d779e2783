/**
 * SiliconFlow, a host of open models.
 */
import { compatible } from "./compatible.ts";

export const source = compatible("siliconflow", "https://api.siliconflow.com/v1", { replaysReasoning: true });
