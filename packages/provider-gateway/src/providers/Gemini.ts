/**
 * Gemini by Google's API for developers.
 */
import * as GeminiGenerateContent from "../protocols/gemini-generate-content/GeminiGenerateContent.ts";
import * as GeminiInteractions from "../protocols/gemini-interactions/GeminiInteractions.ts";
import type { Source } from "../Route.ts";
import { byFormat } from "./byFormat.ts";

export const source: Source = {
  source: "gemini",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  secret: "required",
  auth: byFormat,
  protocols: [GeminiGenerateContent.make(), GeminiInteractions.make()],
};
