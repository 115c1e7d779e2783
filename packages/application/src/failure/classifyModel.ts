/**
 * What a model fault means for a run: one total function.
 */
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { ModelFault, ModelFaultReason } from "@cahier/ports/ModelGateway";

/** A model fault ends the invocation unless it is retryable and retries are left. */
export const classifyModel = (fault: ModelFault): Fatal => {
  const [code, advice] = judge(fault.reason);
  const place = fault.endpoint === undefined ? "" : ` (${fault.endpoint})`;
  return fatal(code, `${advice}${place} ${fault.detail}`.trim(), { cause: fault });
};

/** How long the server asked to wait before another attempt, in milliseconds. */
export const retryAfterMs = (fault: ModelFault): number | undefined =>
  fault.reason._tag === "RateLimited" || fault.reason._tag === "Transient" ? fault.reason.retryAfterMs : undefined;

const judge = (reason: ModelFaultReason): readonly [FailureCode, string] => {
  switch (reason._tag) {
    case "Unauthorized":
      return ["agent.unauthorized", "The provider refused the key. Check it and that it belongs to this endpoint."];
    case "Rejected":
      return ["agent.validation_error", `The provider refused the request with status ${reason.status}.`];
    case "RateLimited":
      return ["model.provider_rate_limited", "The provider limits the rate of requests. Wait and try again."];
    case "Transient":
      return ["agent.transient", `The provider failed with status ${reason.status}. Try again later.`];
    case "InvalidResponse":
      return [
        "model.upstream_invalid_response",
        "The answer is not what the protocol promises. Check that the base URL is that of a model API.",
      ];
    case "InvalidToolCall":
      return ["model.invalid_tool_call", "The model sent a tool call without a usable id or name."];
    case "Network":
      return network(reason.kind);
    case "NotConfigured":
      return reason.what === "script"
        ? ["model.script_invalid", "The script cannot be played."]
        : ["model.not_configured", `The model's ${reason.what} is not set up.`];
    case "ScriptExhausted":
      return [
        "model.script_exhausted",
        `The script has no turn at position ${reason.position}. Add one, or let an earlier turn call workspace_finish.`,
      ];
    default:
      return reason satisfies never;
  }
};

const network = (kind: Extract<ModelFaultReason, { _tag: "Network" }>["kind"]): readonly [FailureCode, string] => {
  switch (kind) {
    case "timeout":
      return ["network.timeout", "The server did not answer in time."];
    case "connect":
      return [
        "network.connect_failed",
        "The server cannot be reached. Check that it runs and that the base URL is right.",
      ];
    case "proxy":
      return ["network.proxy_failed", "The proxy failed."];
    case "dns":
      return ["network.dns_failed", "The server's name cannot be resolved. Check the base URL."];
    case "tls":
      return ["network.tls_failed", "The secure connection failed."];
    case "bodyInterrupted":
      return ["network.body_interrupted", "The connection broke within the answer."];
    case "request":
      return ["network.request_failed", "The request failed on its way."];
    default:
      return kind satisfies never;
  }
};
