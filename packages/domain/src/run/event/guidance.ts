/** Payloads of the events about what a user says while a run is under way. */
import * as Schema from "effect/Schema";
import { InvocationId } from "../../identity/Identity.ts";
import { Payload } from "../../payload/Payload.ts";

/**
 * A user said something; it waits for the next request of the agent that works in the foreground. `preview` is its beginning;
 * `clientGuidanceId` is what the caller calls it.
 */
export const UserGuidanceSubmitted = Schema.Struct({
  guidanceId: Schema.String,
  clientGuidanceId: Schema.optionalKey(Schema.String),
  invocationId: InvocationId,
  chars: Schema.Int,
  words: Schema.Int,
  preview: Schema.String,
  text: Payload,
  submittedAt: Schema.String,
  status: Schema.Literal("queued"),
});

/**
 * What waited is told to the agent before the request of `round`, in one user message: `message`. `messageIndex` is its place
 * among the messages behind the prompt, and `requestMessageCount` how many messages the request has with it, the prompt
 * included, when nothing is left out.
 */
export const UserGuidanceApplied = Schema.Struct({
  guidanceIds: Schema.Array(Schema.String),
  clientGuidanceIds: Schema.Array(Schema.String),
  invocationId: InvocationId,
  round: Schema.Int,
  count: Schema.Int,
  chars: Schema.Int,
  words: Schema.Int,
  preview: Schema.String,
  messageIndex: Schema.Int,
  requestMessageCount: Schema.optionalKey(Schema.Int),
  message: Payload,
  status: Schema.Literal("applied"),
});

/** What waited is told to nobody any more: `reason` says why. */
export const UserGuidanceDiscarded = Schema.Struct({
  guidanceIds: Schema.Array(Schema.String),
  clientGuidanceIds: Schema.Array(Schema.String),
  reason: Schema.Literals([
    "run_cancel_requested",
    "run_failed_before_next_model_request",
    "run_partial_success_before_next_model_request",
    "run_finished_before_next_model_request",
  ]),
  status: Schema.Literal("discarded"),
});
