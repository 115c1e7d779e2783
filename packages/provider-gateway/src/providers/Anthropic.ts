/**
 * Anthropic itself.
 */
import * as AnthropicMessages from "../protocols/anthropic-messages/AnthropicMessages.ts";
import type { Source } from "../Route.ts";
import { byFormat } from "./byFormat.ts";

export const source: Source = {
  source: "anthropic",
  baseUrl: "https://api.anthropic.com/v1",
  secret: "required",
  auth: byFormat,
  protocols: [AnthropicMessages.make({ host: "anthropic" })],
};
