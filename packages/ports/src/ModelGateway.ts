/**
 * The way to a model: a canonical request in, deltas and one whole response out.
 *
 * Does not own retries, budgets or what a failure means for the run.
 */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import { type ModelDelta, ModelResponse } from "@cahier/domain/model/ModelResponse";
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";

/** What went wrong, as a fact. `retryAfterMs` is what the server asked for. */
export const ModelFaultReason = Schema.Union([
  /** 401 or 403: the key was refused. */
  Schema.TaggedStruct("Unauthorized", { status: Schema.Int }),
  /** 400 and other client errors: the request was refused. */
  Schema.TaggedStruct("Rejected", { status: Schema.Int }),
  /** 429. */
  Schema.TaggedStruct("RateLimited", { status: Schema.Int, retryAfterMs: Schema.optionalKey(Schema.Int) }),
  /** 408, 425, 5xx and an error sent inside a stream. */
  Schema.TaggedStruct("Transient", { status: Schema.Int, retryAfterMs: Schema.optionalKey(Schema.Int) }),
  /** The bytes are not what the protocol promises: HTML, broken JSON, a stream without its end. */
  Schema.TaggedStruct("InvalidResponse", { status: Schema.Int }),
  /** A tool call without an id or a name: no pairing is possible. */
  Schema.TaggedStruct("InvalidToolCall", {}),
  /** A message of the request came in this very format, but a call of it has lost its native part. Nothing was sent. */
  Schema.TaggedStruct("NativeMetadataLost", {}),
  /** The provider state of the request does not fit its messages. Nothing was sent. */
  Schema.TaggedStruct("ProviderStateInvalid", {}),
  /** The transport failed before or within the response. */
  Schema.TaggedStruct("Network", {
    kind: Schema.Literals(["timeout", "connect", "proxy", "dns", "tls", "bodyInterrupted", "request"]),
  }),
  /** The binding names a source, format or secret that this gateway does not have. */
  Schema.TaggedStruct("NotConfigured", { what: Schema.Literals(["source", "format", "endpoint", "secret", "script"]) }),
  /** A scripted model was asked beyond its last turn. */
  Schema.TaggedStruct("ScriptExhausted", { position: Schema.Int }),
]);
export type ModelFaultReason = typeof ModelFaultReason.Type;

/**
 * The one failure of a call. `detail` is for the operator: redacted, with at most 512 bytes of an upstream body.
 * `partial` is what had arrived when a stream was cut; its last tool call may be incomplete and must not be run.
 */
export class ModelFault extends Schema.TaggedError<ModelFault>()("ModelFault", {
  reason: ModelFaultReason,
  detail: Schema.String,
  endpoint: Schema.optionalKey(Schema.String),
  partial: Schema.optionalKey(ModelResponse),
}) {}

/**
 * Called synchronously for each delta, in order, before the call ends; never after it.
 */
export type OnDelta = (delta: ModelDelta) => void;

/** Laws: `MDL-*` in `@cahier/testkit/laws/ModelGatewayLaws`. */
export class ModelGateway extends Context.Service<
  ModelGateway,
  {
    /**
     * Asks the model once. The result is the one terminal event: a whole response or one fault. The text deltas of a
     * success, joined, equal the text of its message. Interruption closes the connection at once.
     */
    readonly generate: (request: ModelRequest, onDelta: OnDelta) => Effect.Effect<ModelResponse, ModelFault>;
    /** Forgets what is kept for a session (`runId:invocationId`). Idempotent. */
    readonly closeSession: (sessionId: string) => Effect.Effect<void>;
    /** The formats that this gateway speaks. */
    readonly formats: ReadonlyArray<ModelRequest["binding"]["format"]>;
  }
>()("@cahier/ports/ModelGateway") {}
