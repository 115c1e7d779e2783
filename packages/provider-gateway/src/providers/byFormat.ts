/**
 * The header that each format's own vendor wants: for endpoints that speak several formats.
 */
import * as Redacted from "effect/Redacted";
import type { Auth } from "../Route.ts";
import { bearer } from "./bearer.ts";

export const byFormat: Auth = (secret, format) => {
  if (format === "anthropic-messages") return { "x-api-key": Redacted.value(secret) };
  if (format === "gemini-generate-content" || format === "gemini-interactions")
    return { "x-goog-api-key": Redacted.value(secret) };
  return bearer(secret, format);
};
