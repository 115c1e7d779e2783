/**
 * NanoGPT, a router in front of many vendors.
 */
import { compatible } from "./compatible.ts";

export const source = compatible("nanogpt", "https://nano-gpt.com/api/v1", {
  replaysReasoning: true,
  router: "nanogpt",
});
