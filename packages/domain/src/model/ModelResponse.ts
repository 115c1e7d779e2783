/**
 * What a model answered: the stored response, and the deltas seen on the way.
 */
import * as Schema from "effect/Schema";
import type { CallId } from "../identity/Identity.ts";
import { Message } from "./Message.ts";
import { ProviderState } from "./ProviderState.ts";

/** Token counts as the provider reported them; nothing is guessed. */
export const Usage = Schema.Struct({
  inputTokens: Schema.Int,
  outputTokens: Schema.Int,
  cachedTokens: Schema.optionalKey(Schema.Int),
  reasoningTokens: Schema.optionalKey(Schema.Int),
});
export type Usage = typeof Usage.Type;

/** Why the response ended. A `length` response never executes its last call. */
export const FinishReason = Schema.Literals(["stop", "toolCalls", "length", "refusal", "other"]);
export type FinishReason = typeof FinishReason.Type;

/** A whole response: one assistant message with everything needed to replay it. */
export const ModelResponse = Schema.Struct({
  message: Message,
  finish: FinishReason,
  responseId: Schema.optionalKey(Schema.String),
  model: Schema.String,
  usage: Schema.optionalKey(Usage),
  warnings: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What the next request of the session continues from; of formats that are replayed natively or keep a session. */
  providerState: Schema.optionalKey(ProviderState),
});
export type ModelResponse = typeof ModelResponse.Type;

/** What arrives before the terminal event: live only, never journalled. */
export type ModelDelta =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "toolCallStart"; readonly index: number; readonly callId: CallId | null; readonly name: string }
  | { readonly type: "toolCallDelta"; readonly index: number; readonly text: string }
  | { readonly type: "toolCallEnd"; readonly index: number };
