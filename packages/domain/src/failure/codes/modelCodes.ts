/** Codes about models and the way to them. */
import type { FailureEntry } from "../FailureCode.ts";

export const modelCodes = {
  "agent.provider_state_invalid": {
    class: "fatal",
    meaning: "The state of the provider's session does not fit the conversation.",
  },
  "agent.transient": { class: "fatal", meaning: "The provider failed in a way that may pass.", retryable: true },
  "agent.unauthorized": { class: "fatal", meaning: "The provider refused the key." },
  "agent.validation_error": { class: "fatal", meaning: "The provider refused the request." },
  "model.invalid_tool_call": {
    class: "fatal",
    meaning: "A tool call has no usable id, so no result can be paired with it.",
  },
  "model.native_metadata_lost": {
    class: "fatal",
    meaning: "An answer that a provider needs back untouched has lost its native part.",
  },
  "model.none_configured": { class: "host", meaning: "No model was chosen and no key is set." },
  "model.not_configured": { class: "fatal", meaning: "The model binding names something that is not set up here." },
  "model.provider_rate_limited": {
    class: "fatal",
    meaning: "The provider limits the rate of requests.",
    retryable: true,
  },
  "model.script_exhausted": { class: "fatal", meaning: "The scripted model was asked beyond its last turn." },
  "model.script_invalid": { class: "host", meaning: "The script file does not have the form of cahier.script/1." },
  "model.tool_choice_violation": { class: "fatal", meaning: "The model called a tool that its turn had excluded." },
  "model.tool_call_required": {
    class: "fatal",
    meaning: "The model answered with text only, again.",
    userRetryable: true,
  },
  "model.unpaired_tool_call": {
    class: "fatal",
    meaning: "A call of the conversation has no result, or more than one, so no model takes it.",
  },
  "model.unknown_tool_call": { class: "recoverable", meaning: "The model called a tool that it was not given." },
  "model.upstream_invalid_response": {
    class: "fatal",
    meaning: "The provider's answer is not what its protocol promises.",
    retryable: true,
  },
  "network.body_interrupted": { class: "fatal", meaning: "The connection broke within the answer.", retryable: true },
  "network.connect_failed": { class: "fatal", meaning: "The server cannot be reached.", retryable: true },
  "network.dns_failed": { class: "fatal", meaning: "The server's name cannot be resolved.", retryable: true },
  "network.proxy_failed": { class: "fatal", meaning: "The proxy failed.", retryable: true },
  "network.request_failed": { class: "fatal", meaning: "The request failed on its way.", retryable: true },
  "network.timeout": { class: "fatal", meaning: "The server did not answer in time.", retryable: true },
  "network.tls_failed": { class: "fatal", meaning: "The secure connection failed.", retryable: true },
} as const satisfies Record<string, FailureEntry>;
