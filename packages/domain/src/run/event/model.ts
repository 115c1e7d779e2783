/** Payloads of the events about invocations, their context and their model calls. */
import * as Schema from "effect/Schema";
import { InvocationRecord } from "../../invocation/Invocation.ts";
import { CallId, InvocationId, ProfileId } from "../../identity/Identity.ts";
import { FinishReason, Usage } from "../../model/ModelResponse.ts";
import { ModelFormat } from "../../model/ModelFormat.ts";
import { ProviderState } from "../../model/ProviderState.ts";
import { Payload } from "../../payload/Payload.ts";
import { PromptComponent, TokenCount } from "../../prompt/PromptComponent.ts";
import { Sha256 } from "../../payload/Sha256.ts";
import { AmbientScopes, SkillScope } from "../../skill/SkillScope.ts";

/**
 * Written whenever the status of an invocation, one agent's part of the run, changes: the event's type says to what,
 * and `status` says it again. `kind` is how it came to be and `exitPolicy` how it may end; `parentInvocationId` is
 * absent for the root.
 */
export const AgentInvocation = InvocationRecord;

/**
 * Endpoint, secret reference and model, frozen together for the invocation before its context is put together.
 * `binding` is all of it as JSON and never the secret itself; `mode` says where it comes from: the host's own settings
 * (`currentPromptSnapshot`) or a stored connection, which `connection` names as it was called then.
 */
export const AgentModelBindingResolved = Schema.Struct({
  invocationId: InvocationId,
  mode: Schema.Literals(["currentPromptSnapshot", "connectionRef"]),
  connection: Schema.optionalKey(Schema.Struct({ id: Schema.String, displayName: Schema.String })),
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

/** Whether and how far an agent may give work to others: see the profile's `delegation`. */
export const DelegationLimits = Schema.Struct({
  canDelegate: Schema.Boolean,
  canHandoff: Schema.Boolean,
  maxConcurrentInvocations: Schema.Finite,
  maxInvocationsPerRun: Schema.Finite,
  maxHandoffDepth: Schema.Finite,
  maxDepth: Schema.Finite,
  taskTimeoutMs: Schema.Finite,
});
export type DelegationLimits = typeof DelegationLimits.Type;

/**
 * The limits that the fold needs to decide the next step without reading the profile. `onDenied`: whether a denied call
 * is answered or fails the run. `budget` is the run's, of a delegated agent or a successor its own beside the run's, in
 * tokens, the connection's currency and milliseconds. Without `delegation` nothing may be given to others.
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
  delegation: Schema.optionalKey(DelegationLimits),
});
export type InvocationLimits = typeof InvocationLimits.Type;

/**
 * Everything that the invocation works with is frozen. `request` sums up its first request, `tools` are the ids of the
 * tools that it was given, `promptSource` names who made the prompt. `promptSnapshot` is the prompt and `toolSnapshot`
 * the tools with their schemas and the policy on each; `tokens` says how long the prompt is, where that was counted; `chat` and `worldInfo` are what its tools read of the run's
 * frozen input, `promptInput` is what prompts of other agents are made of, `skills` the Skills that it may read; all six are JSON. In `limits`, `budget` is the run's, in tokens, the connection's currency and
 * milliseconds.
 */
export const ContextAssembled = Schema.Struct({
  invocationId: InvocationId,
  request: RequestSummary,
  tools: Schema.Array(Schema.String),
  limits: InvocationLimits,
  contextPolicy: ContextPolicy,
  promptSource: Schema.String,
  promptSnapshot: Payload,
  tokens: Schema.optionalKey(TokenCount),
  toolSnapshot: Payload,
  chat: Schema.optionalKey(Payload),
  worldInfo: Schema.optionalKey(Payload),
  promptInput: Schema.optionalKey(Payload),
  skills: Schema.optionalKey(Payload),
});

/**
 * The Skills that the invocation works with, from now on whatever is installed or removed: those of `scopes`, of one name the
 * later scope's, as far as its profile lets it see them. `refs` is what of scopes the run itself has, for all its agents;
 * `content` is where the files are kept. `damaged` are entries of the index that could not be read, by their ids. Not
 * written where no Skill is installed and the run states no preset.
 */
export const SkillScopesResolved = Schema.Struct({
  invocationId: InvocationId,
  profileId: ProfileId,
  scopes: Schema.Array(SkillScope),
  refs: AmbientScopes,
  effectiveSkills: Schema.Array(
    Schema.Struct({ name: Schema.String, scope: SkillScope, installedHash: Sha256, content: Schema.String }),
  ),
  damaged: Schema.optionalKey(Schema.Array(Schema.String)),
});

const turn = { round: Schema.Int, invocationId: InvocationId };

/**
 * A round of the invocation begins, counted from 1: the next request holds `messageCount` messages. Nothing has been
 * sent yet.
 */
export const ModelRequestCreated = Schema.Struct({ ...turn, messageCount: Schema.Int });

/**
 * Parts are left out of the request of the round, and why; round 0 is the prompt that all requests begin with. `leftOut`:
 * answers and results before that message behind the prompt, counted from 0, are not shown any more. `more` parts are left
 * out besides those that stand here.
 */
export const ContextComponentSkipped = Schema.Struct({
  ...turn,
  components: Schema.Array(PromptComponent),
  more: Schema.optionalKey(Schema.Int),
  leftOut: Schema.optionalKey(Schema.Int),
});

/** The request of the round shows the whole of the file `path` in the place of the result of the call that wrote it. */
export const ContextToolResultHydrated = Schema.Struct({
  ...turn,
  callId: CallId,
  path: Schema.String,
  sha256: Sha256,
});

/**
 * The request of the round is about to be sent. `attempt` counts from 1 within the round; `maxRetries` is how many
 * failed attempts may be repeated.
 */
export const ModelCallAttemptStarted = Schema.Struct({ ...turn, attempt: Schema.Int, maxRetries: Schema.Int });

/**
 * An attempt gave no whole response. Its level is `error` when no other attempt follows. `retryable`: the failure is of
 * a kind that another attempt may mend; `willRetry`: there will be one. `partialText` is the beginning of what had
 * arrived, at most 8192 bytes.
 */
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

/**
 * Attempt `nextAttempt` follows after `intervalMs` milliseconds: the profile's interval, or longer when the provider
 * asked for it.
 */
export const ModelCallRetryScheduled = Schema.Struct({ ...turn, nextAttempt: Schema.Int, intervalMs: Schema.Int });

/**
 * A whole response arrived. `response` is all of it as JSON, `responseId` the provider's name for it, `usage` its
 * tokens as the provider counted them. `textSha256` is the digest of its text, when it is text only; `cost` is what it
 * cost in the connection's currency, when the connection has prices.
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

/**
 * Where the provider's own session stands after the response that was stored right before. A resumed run continues from
 * it. `messageCursor` counts the messages of the request that was answered.
 */
export const ProviderStateUpdated = Schema.Struct({ ...turn, ...ProviderState.fields });

/**
 * Sums up the response that was stored right before: `modelResponsePath` is its path. Counts are Unicode scalars
 * (`…Chars`) and words (`…Words`). `narration` is what the model said beside its tool calls, at most 280 UTF-16 units
 * of it, and absent when it said nothing or called nothing. `warnings` are what the gateway had to leave out or do anew
 * for this response, such as a parameter that the wire has no place for: at most 20 sentences of 300 characters, all of
 * them in the stored response.
 */
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
  warnings: Schema.optionalKey(Schema.Array(Schema.String)),
});

/**
 * A text-only answer, kept as a file beside the message body so that nothing is lost: the model was to call a tool.
 * `chars` and `words` are of the text, `path` is where the model can read it.
 */
export const DirectOutputCaptured = Schema.Struct({
  ...turn,
  path: Schema.String,
  chars: Schema.Int,
  words: Schema.Int,
  sha256: Schema.String,
  modelResponsePath: Schema.String,
  content: Payload,
});

/**
 * The model answered with text only and is reminded to call a tool; `reminder` is the user message that it gets next.
 * `attempt` counts from 1 in the invocation, at most to `maxAttempts`; `committedCount` is how many commits the run
 * has.
 */
export const DriftRecoveryAttempted = Schema.Struct({
  ...turn,
  attempt: Schema.Int,
  maxAttempts: Schema.Int,
  maxRounds: Schema.Int,
  committedCount: Schema.Int,
  reasonCode: Schema.Literal("model.tool_call_required"),
  reminder: Payload,
});

/**
 * The agent said that it has finished, after `commitCount` commits of the run. A further call in the same turn fails
 * the run.
 */
export const AgentLoopFinished = Schema.Struct({ ...turn, commitCount: Schema.Int });
