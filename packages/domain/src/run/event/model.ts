/** Payloads of the events about invocations, their context and their model calls. */
import * as Schema from "effect/Schema";
import { InvocationRecord } from "../../invocation/Invocation.ts";
import { InvocationId } from "../../identity/Identity.ts";
import { FinishReason, Usage } from "../../model/ModelResponse.ts";
import { ModelFormat } from "../../model/ModelRequest.ts";
import { Payload } from "../../payload/Payload.ts";
import { Sha256 } from "../../payload/Sha256.ts";

export const AgentInvocation = InvocationRecord;

/** Endpoint, secret reference and model, frozen together for the invocation. */
export const AgentModelBindingResolved = Schema.Struct({
  invocationId: InvocationId,
  mode: Schema.Literals(["currentPromptSnapshot", "connectionRef"]),
  binding: Payload,
  source: Schema.String,
  format: ModelFormat,
  modelId: Schema.String,
});

const RequestSummary = Schema.Struct({
  source: Schema.String,
  format: ModelFormat,
  model: Schema.String,
  messageCount: Schema.Int,
  toolCount: Schema.Int,
});

export const ContextPolicy = Schema.Struct({
  initialChatHistoryMessages: Schema.Int,
  includeActivatedWorldInfo: Schema.Boolean,
});
export type ContextPolicy = typeof ContextPolicy.Type;

/**
 * The limits that the fold needs to decide the next step without reading the profile. `onDenied`: whether a denied call
 * is answered or fails the run. `budget` is the run's, in tokens, the connection's currency and milliseconds.
 */
export const InvocationLimits = Schema.Struct({
  maxRounds: Schema.Int,
  driftRecoveryMaxAttempts: Schema.Int,
  maxRetries: Schema.Int,
  retryIntervalMs: Schema.Int,
  onDenied: Schema.optionalKey(Schema.Literals(["return", "fail"])),
  repetition: Schema.optionalKey(Schema.Struct({ warnAt: Schema.Finite, endAt: Schema.Finite })),
  budget: Schema.optionalKey(
    Schema.Struct({
      tokens: Schema.optionalKey(Schema.Finite),
      cost: Schema.optionalKey(Schema.Finite),
      wallMs: Schema.optionalKey(Schema.Finite),
    }),
  ),
});
export type InvocationLimits = typeof InvocationLimits.Type;

/** `chat` and `worldInfo` are what the invocation's tools read of the run's frozen input, as JSON. */
export const ContextAssembled = Schema.Struct({
  invocationId: InvocationId,
  request: RequestSummary,
  tools: Schema.Array(Schema.String),
  limits: InvocationLimits,
  contextPolicy: ContextPolicy,
  promptSource: Schema.String,
  promptSnapshot: Payload,
  toolSnapshot: Payload,
  chat: Schema.optionalKey(Payload),
  worldInfo: Schema.optionalKey(Payload),
});

const turn = { round: Schema.Int, invocationId: InvocationId };

export const ModelRequestCreated = Schema.Struct({ ...turn, messageCount: Schema.Int });

export const ModelCallAttemptStarted = Schema.Struct({ ...turn, attempt: Schema.Int, maxRetries: Schema.Int });

export const ModelCallAttemptFailed = Schema.Struct({
  ...turn,
  attempt: Schema.Int,
  maxRetries: Schema.Int,
  code: Schema.String,
  retryable: Schema.Boolean,
  willRetry: Schema.Boolean,
  message: Schema.String,
  partialText: Schema.optionalKey(Schema.String),
});

export const ModelCallRetryScheduled = Schema.Struct({ ...turn, nextAttempt: Schema.Int, intervalMs: Schema.Int });

/**
 * `response` is the whole `ModelResponse` as JSON; `textSha256` the digest of its text, when it is text only; `cost` what it
 * cost, when the connection has prices.
 */
export const ModelResponseStored = Schema.Struct({
  ...turn,
  response: Payload,
  responseId: Schema.optionalKey(Schema.String),
  model: Schema.String,
  finish: FinishReason,
  usage: Schema.optionalKey(Usage),
  textSha256: Schema.optionalKey(Sha256),
  cost: Schema.optionalKey(Schema.Finite),
});

/** Counts are Unicode scalars (`…Chars`) and words (`…Words`). */
export const ModelCompleted = Schema.Struct({
  ...turn,
  modelResponsePath: Schema.String,
  toolCallCount: Schema.Int,
  textChars: Schema.Int,
  textWords: Schema.Int,
  hasReasoning: Schema.Boolean,
  reasoningChars: Schema.Int,
  reasoningWords: Schema.Int,
  narration: Schema.optionalKey(
    Schema.Struct({
      source: Schema.Literal("assistantText"),
      text: Schema.String,
      totalChars: Schema.Int,
      totalWords: Schema.Int,
      truncated: Schema.Boolean,
    }),
  ),
});

/** A text-only answer, kept as a file beside the message body. */
export const DirectOutputCaptured = Schema.Struct({
  ...turn,
  path: Schema.String,
  chars: Schema.Int,
  words: Schema.Int,
  sha256: Schema.String,
  modelResponsePath: Schema.String,
  content: Payload,
});

/** `reminder` is the user message that the model gets next. */
export const DriftRecoveryAttempted = Schema.Struct({
  ...turn,
  attempt: Schema.Int,
  maxAttempts: Schema.Int,
  maxRounds: Schema.Int,
  committedCount: Schema.Int,
  reasonCode: Schema.Literal("model.tool_call_required"),
  reminder: Payload,
});

export const AgentLoopFinished = Schema.Struct({ ...turn, commitCount: Schema.Int });
