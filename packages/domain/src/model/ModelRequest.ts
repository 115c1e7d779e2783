/**
 * What a run asks of a model, and what it is bound to.
 */
import * as Schema from "effect/Schema";
import type { Message } from "./Message.ts";
import { Prices } from "./Prices.ts";

/** The wire formats; the only names, in journal, provider state, connections and folders. */
export const ModelFormat = Schema.Literals([
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "gemini-generate-content",
  "gemini-interactions",
  "scripted",
]);
export type ModelFormat = typeof ModelFormat.Type;

/** A reference to a secret; the value itself appears in no event, log or error. */
export const SecretReference = Schema.Struct({ key: Schema.String, label: Schema.optionalKey(Schema.String) });
export type SecretReference = typeof SecretReference.Type;

/**
 * Endpoint, secret and model of one invocation, frozen together.
 * `source` is the vendor (`openai`, `custom`, `scripted`); `baseUrl` ends before the protocol's path.
 */
export const ModelBinding = Schema.Struct({
  source: Schema.String,
  format: ModelFormat,
  modelId: Schema.String,
  baseUrl: Schema.optionalKey(Schema.String),
  secret: Schema.optionalKey(SecretReference),
  /** What the connection says that tokens cost; without it no cost is counted. */
  prices: Schema.optionalKey(Prices),
  /** `scripted` only: the content of the script file, so that a resumed run meets the same turns. */
  script: Schema.optionalKey(Schema.String),
});
export type ModelBinding = typeof ModelBinding.Type;

/** A tool as the provider is told of it. */
export const ToolDefinition = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  inputSchema: Schema.Record(Schema.String, Schema.Json),
});
export type ToolDefinition = typeof ToolDefinition.Type;

export const ToolChoice = Schema.Union([
  Schema.Literals(["none", "auto", "required"]),
  Schema.Struct({ specific: Schema.String }),
]);
export type ToolChoice = typeof ToolChoice.Type;

/** Sampling and output limits; an absent field is not sent. */
export const GenerationParameters = Schema.Struct({
  temperature: Schema.optionalKey(Schema.Finite),
  topP: Schema.optionalKey(Schema.Finite),
  maxOutputTokens: Schema.optionalKey(Schema.Int),
  stop: Schema.optionalKey(Schema.Array(Schema.String)),
});
export type GenerationParameters = typeof GenerationParameters.Type;

/**
 * One request. `sessionId` is `runId:invocationId`. `messages` only ever grows at its end within a session, with the
 * same message objects, so that a gateway encodes each message once. `position` is the number of completed responses
 * plus journalled failed attempts of the invocation.
 */
export interface ModelRequest {
  readonly sessionId: string;
  readonly binding: ModelBinding;
  readonly messages: ReadonlyArray<Message>;
  readonly tools: ReadonlyArray<ToolDefinition>;
  readonly toolChoice: ToolChoice;
  readonly parameters: GenerationParameters;
  readonly stream: boolean;
  readonly position: number;
  /** The profile of the invocation and its ordinal among the invocations of that profile (0 for the first). */
  readonly agent: { readonly profileId: string; readonly ordinal: number; readonly root: boolean };
}
