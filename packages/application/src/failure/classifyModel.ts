/**
 * What a model fault means for a run: one total function.
 */
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { SecretReference } from "@cahier/domain/model/ModelRequest";
import type { ModelFault, ModelFaultReason } from "@cahier/ports/ModelGateway";

/**
 * A model fault ends the invocation unless it is retryable and retries are left. The message says what happened, what
 * to do, and what the server or the gateway said beyond that. `secret` is that of the binding.
 */
export const classifyModel = (fault: ModelFault, secret?: SecretReference): Fatal => {
  const { code, happened, advice, toldBy } = judge(fault.reason, secret);
  const detail = sentence(fault.detail);
  const what = toldBy === "fault" && detail !== "" ? detail : happened;
  const place = fault.endpoint === undefined ? "" : ` (${fault.endpoint})`;
  const more = toldBy === "reason" && !saysTheSame(detail, happened) ? told(fault.reason, fault.detail) : "";
  return fatal(code, [what, sentence(`${advice}${place}`), more].filter((part) => part !== "").join(" "), {
    cause: fault,
  });
};

/** How long the server asked to wait before another attempt, in milliseconds. */
export const retryAfterMs = (fault: ModelFault): number | undefined =>
  fault.reason._tag === "RateLimited" || fault.reason._tag === "Transient" ? fault.reason.retryAfterMs : undefined;

/**
 * `happened` is a sentence, `advice` one without its full stop. `toldBy`: whether the reason says what happened, with
 * the fault's detail beside it, the reason alone, or the fault's detail in its place.
 */
interface Judgement {
  readonly code: FailureCode;
  readonly happened: string;
  readonly advice: string;
  readonly toldBy: "reason" | "reasonAlone" | "fault";
}

const judgement = (
  code: FailureCode,
  happened: string,
  advice: string,
  toldBy: Judgement["toldBy"] = "reason",
): Judgement => ({ code, happened, advice, toldBy });

const judge = (reason: ModelFaultReason, secret: SecretReference | undefined): Judgement => {
  switch (reason._tag) {
    case "Unauthorized":
      return judgement(
        "agent.unauthorized",
        "The provider refused the key.",
        "Check it and that it belongs to this endpoint",
      );
    case "Rejected":
      return judgement(
        "agent.validation_error",
        `The provider refused the request with status ${reason.status}.`,
        "Check the name of the model and the base URL",
      );
    case "RateLimited":
      return judgement(
        "model.provider_rate_limited",
        "The provider limits the rate of requests.",
        "Wait and try again",
      );
    case "Transient":
      return judgement("agent.transient", `The provider failed with status ${reason.status}.`, "Try again later");
    case "InvalidResponse":
      return judgement(
        "model.upstream_invalid_response",
        "The answer is not what the protocol promises.",
        "Check that the base URL is that of a model API",
      );
    case "InvalidToolCall":
      return judgement(
        "model.invalid_tool_call",
        "The model sent a tool call without a usable id or name.",
        "Try again, or choose another model",
      );
    case "NativeMetadataLost":
      return judgement(
        "model.native_metadata_lost",
        "An answer that the provider needs back untouched has lost its native part.",
        "Fork the run before that answer, or go on with a connection of another format",
      );
    case "ProviderStateInvalid":
      return judgement(
        "agent.provider_state_invalid",
        "The state of the provider's session does not fit the conversation.",
        "Fork the run: a fork begins a session of its own",
      );
    case "Network":
      return network(reason.kind);
    case "NotConfigured":
      return notConfigured(reason.what, secret);
    case "ScriptExhausted":
      return judgement(
        "model.script_exhausted",
        `The script has no turn at position ${reason.position}.`,
        "Add one, or let an earlier turn call workspace_finish",
        "reasonAlone",
      );
    default:
      return reason satisfies never;
  }
};

const notConfigured = (
  what: Extract<ModelFaultReason, { _tag: "NotConfigured" }>["what"],
  secret: SecretReference | undefined,
): Judgement => {
  if (what === "script") return judgement("model.script_invalid", "The script cannot be played.", "Correct it");
  const advice =
    what === "secret" && secret !== undefined
      ? `Set the variable ${secret.key}, or put it into the file that CAHIER_SECRETS names`
      : "Choose another model, or set this one up";
  return judgement("model.not_configured", `The model's ${what} is not set up.`, advice, "fault");
};

const network = (kind: Extract<ModelFaultReason, { _tag: "Network" }>["kind"]): Judgement => {
  switch (kind) {
    case "timeout":
      return judgement("network.timeout", "The server did not answer in time.", "Try again, or choose another model");
    case "connect":
      return judgement(
        "network.connect_failed",
        "The server cannot be reached.",
        "Check that it runs and that the base URL is right",
      );
    case "proxy":
      return judgement("network.proxy_failed", "The proxy failed.", "Check that it runs and that its address is right");
    case "dns":
      return judgement("network.dns_failed", "The server's name cannot be resolved.", "Check the base URL");
    case "tls":
      return judgement(
        "network.tls_failed",
        "The secure connection failed.",
        "Check the server's certificate and that the base URL is right",
      );
    case "bodyInterrupted":
      return judgement("network.body_interrupted", "The connection broke within the answer.", "Try again");
    case "request":
      return judgement(
        "network.request_failed",
        "The request failed on its way.",
        "Check the network and the base URL",
      );
    default:
      return kind satisfies never;
  }
};

/** What the fault says beside its reason. The words of a server stay as they came. */
const told = (reason: ModelFaultReason, detail: string): string => {
  const words = detail.trim();
  switch (reason._tag) {
    case "Unauthorized":
    case "Rejected":
    case "RateLimited":
    case "Transient":
      return words === "" ? "" : ended(`It answered: ${words}`);
    default:
      return sentence(words);
  }
};

/** Text as a sentence: it begins with a capital letter and has an end. */
const sentence = (text: string): string => {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  return ended(`${trimmed.slice(0, 1).toUpperCase()}${trimmed.slice(1)}`);
};

const ended = (text: string): string => (/[.!?…]["')\]}]?$/u.test(text) ? text : `${text}.`);

const saysTheSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
