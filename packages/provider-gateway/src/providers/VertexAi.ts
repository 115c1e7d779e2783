/**
 * Google's Vertex AI. Its own base URL is that of express mode, with an API key; that of a project ends in
 * `/projects/<project>/locations/<region>/publishers/google` (or `/anthropic`) and takes an access token.
 */
import * as Redacted from "effect/Redacted";
import * as AnthropicMessages from "../protocols/anthropic-messages/AnthropicMessages.ts";
import * as GeminiGenerateContent from "../protocols/gemini-generate-content/GeminiGenerateContent.ts";
import type { Source } from "../Route.ts";
import { bearer } from "./bearer.ts";

export const source: Source = {
  source: "vertexai",
  baseUrl: "https://aiplatform.googleapis.com/v1/publishers/google",
  secret: "required",
  // API keys begin so; everything else is an access token.
  auth: (secret, format) =>
    /^A[IQ]/.test(Redacted.value(secret)) ? { "x-goog-api-key": Redacted.value(secret) } : bearer(secret, format),
  protocols: [GeminiGenerateContent.make(), AnthropicMessages.make({ host: "vertex" })],
};
