/**
 * Cloudflare's Workers AI. Its base URL names the account: `https://api.cloudflare.com/client/v4/accounts/<account>/ai/v1`.
 */
import { compatible } from "./compatible.ts";

export const source = compatible("workers_ai", undefined, { replaysReasoning: true });
