/**
 * MiniMax, whose thinking models want their reasoning back.
 */
import { compatible } from "./compatible.ts";

export const source = compatible("minimax", "https://api.minimax.io/v1", { replaysReasoning: true });
