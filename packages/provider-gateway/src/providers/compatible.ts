/**
 * Sources that speak Chat Completions as most do: with a bearer token and `max_tokens`.
 */
import * as OpenAiChat from "../protocols/openai-chat/OpenAiChat.ts";
import { type Dialect, protocolLimits } from "../protocols/openai-chat/internal/Dialect.ts";
import type { Source } from "../Route.ts";
import { bearer } from "./bearer.ts";

/** `replaysReasoning`: the vendor takes the reasoning of earlier turns back; some of its models refuse to go on without. */
export const compatible = (
  source: string,
  baseUrl: string | undefined,
  dialect: Pick<Dialect, "replaysReasoning" | "refusesSampling" | "router"> & Partial<Pick<Dialect, "limits">>,
): Source => ({
  source,
  baseUrl,
  secret: "required",
  auth: bearer,
  protocols: [OpenAiChat.make({ outputLimit: "max_tokens", limits: protocolLimits, ...dialect })],
});
