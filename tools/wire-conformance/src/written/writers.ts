/**
 * The writers by the names of the routes.
 */
import * as anthropicMessages from "./anthropicMessages.ts";
import * as geminiGenerateContent from "./geminiGenerateContent.ts";
import * as geminiInteractions from "./geminiInteractions.ts";
import * as openAiChat from "./openAiChat.ts";
import * as openAiResponses from "./openAiResponses.ts";
import type { Writer } from "./Writer.ts";

export const writers: Readonly<Record<string, Writer>> = {
  "anthropic-messages": anthropicMessages.writer,
  "gemini-generate-content": geminiGenerateContent.writer,
  "gemini-interactions": geminiInteractions.writer,
  "openai-chat": openAiChat.writer,
  "openai-responses": openAiResponses.writer,
};
