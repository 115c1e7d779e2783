/**
 * What a run asks of a model, and what it is bound to.
 */
import * as Schema from "effect/Schema";
import type { Message } from "./Message.ts";
import { ModelFormat } from "./ModelFormat.ts";
import { Prices } from "./Prices.ts";
import type { ProviderState } from "./ProviderState.ts";

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
  /** `openai-responses` only: one WebSocket a session. Absent: a request a call over HTTP. */
  transport: Schema.optionalKey(Schema.Literal("websocket")),
  /** How long the provider is to keep the prompt, where the wire lets one ask for it. Absent: nothing is asked for. */
  promptCacheTtl: Schema.optionalKey(Schema.Literals(["5m", "1h"])),
  /**
   * `private`: the server's name may resolve to a loopback or private address. Absent: only an address that is itself
   * written as one may. Link-local addresses, and with them those of metadata services, are refused either way.
   */
  network: Schema.optionalKey(Schema.Literal("private")),
  /** `openai-chat` only: the server may leave ids of tool calls out, and the gateway makes one for each such call. */
  syntheticToolCallIds: Schema.optionalKey(Schema.Literal(true)),
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

/**
 * How hard a model is to think before it answers. `effort` is a level by name (`none`, `minimal`, `low`, `medium`,
 * `high`, `xhigh`, `max`; a provider may know others), `budgetTokens` a number of tokens for wires that count them.
 */
export const ReasoningParameters = Schema.Struct({
  effort: Schema.optionalKey(Schema.String),
  budgetTokens: Schema.optionalKey(Schema.Int),
});
export type ReasoningParameters = typeof ReasoningParameters.Type;

/** Sampling, reasoning and output limits; an absent field is not sent. What a wire has no place for is reported as lost. */
export const GenerationParameters = Schema.Struct({
  temperature: Schema.optionalKey(Schema.Finite),
  topP: Schema.optionalKey(Schema.Finite),
  topK: Schema.optionalKey(Schema.Int),
  frequencyPenalty: Schema.optionalKey(Schema.Finite),
  presencePenalty: Schema.optionalKey(Schema.Finite),
  seed: Schema.optionalKey(Schema.Int),
  reasoning: Schema.optionalKey(ReasoningParameters),
  verbosity: Schema.optionalKey(Schema.Literals(["low", "medium", "high"])),
  parallelToolCalls: Schema.optionalKey(Schema.Boolean),
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
  /** What the last response of the session left, read back from the journal; a gateway may have forgotten it. */
  readonly providerState?: ProviderState;
  /** The profile of the invocation and its ordinal among the invocations of that profile (0 for the first). */
  readonly agent: { readonly profileId: string; readonly ordinal: number; readonly root: boolean };
}
