/**
 * The ways to a model that are held to the same expectations: every format, at the vendor that owns it.
 *
 * Owns their names, which are also the folders of cassettes. Does not own endpoints: the gateway's sources do.
 */
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";

/** `key` is the variable that holds the vendor's key where a route is recorded; a route without one calls nobody. */
export interface Route {
  readonly name: string;
  readonly binding: ModelBinding;
  readonly key: string | undefined;
}

const keyed = (
  name: string,
  key: string,
  binding: Pick<ModelBinding, "source" | "format" | "modelId" | "transport">,
): Route => ({ name, key, binding: { ...binding, secret: { key } } });

export const openAiChat = keyed("openai-chat", "OPENAI_API_KEY", {
  source: "openai",
  format: "openai-chat",
  modelId: "gpt-4.1-mini",
});

export const openAiResponses = keyed("openai-responses", "OPENAI_API_KEY", {
  source: "openai",
  format: "openai-responses",
  modelId: "gpt-5-mini",
});

export const openAiWebSocket = keyed("openai-responses-websocket", "OPENAI_API_KEY", {
  source: "openai",
  format: "openai-responses",
  modelId: "gpt-5-mini",
  transport: "websocket",
});

export const anthropicMessages = keyed("anthropic-messages", "ANTHROPIC_API_KEY", {
  source: "anthropic",
  format: "anthropic-messages",
  modelId: "claude-sonnet-4-5",
});

export const geminiGenerateContent = keyed("gemini-generate-content", "GEMINI_API_KEY", {
  source: "gemini",
  format: "gemini-generate-content",
  modelId: "gemini-3-flash",
});

export const geminiInteractions = keyed("gemini-interactions", "GEMINI_API_KEY", {
  source: "gemini",
  format: "gemini-interactions",
  modelId: "gemini-3-flash",
});

/** A model that plays a script, held to the same outcomes. */
export const scripted: Route = {
  name: "scripted",
  key: undefined,
  binding: { source: "scripted", format: "scripted", modelId: "scripted" },
};

/** The routes over HTTP, in the order of the tables. */
export const overHttp: ReadonlyArray<Route> = [
  openAiChat,
  openAiResponses,
  anthropicMessages,
  geminiGenerateContent,
  geminiInteractions,
];
