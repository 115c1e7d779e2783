/**
 * The wire formats; the only names, in journal, provider state, connections and folders.
 */
import * as Schema from "effect/Schema";

export const ModelFormat = Schema.Literals([
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "gemini-generate-content",
  "gemini-interactions",
  "scripted",
]);
export type ModelFormat = typeof ModelFormat.Type;
