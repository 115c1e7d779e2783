/**
 * What went wrong, as a fault's reason and its detail.
 */
import type { ModelFaultReason } from "@cahier/ports/ModelGateway";
import type { Refusal } from "../Route.ts";
import * as reason from "./reason.ts";
import * as redact from "./redact.ts";
import type { ResponseHead } from "../transport/Transport.ts";
import type { Failure } from "./Reply.ts";

/** Of messages that cannot be sent. */
export const refused = ({ _tag, detail }: Refusal): readonly [ModelFaultReason, string] => {
  switch (_tag) {
    case "pairing":
      return [{ _tag: "InvalidToolCall" }, `not sent, the transcript is broken: ${detail}`];
    case "nativeLost":
      return [{ _tag: "NativeMetadataLost" }, `not sent: ${detail}`];
    case "providerState":
      return [{ _tag: "ProviderStateInvalid" }, `not sent, the provider state is broken: ${detail}`];
    case "attachment":
      return [{ _tag: "NotConfigured", what: "format" }, `not sent: ${detail}`];
  }
};

/** Of a response that is of no use; `hidden` are the secrets that it may echo. */
export const judge = (
  failure: Failure,
  nowMs: number,
  hidden: ReadonlyArray<string>,
): { readonly reason: ModelFaultReason; readonly detail: string } => {
  const { head, problem } = failure;
  const quoted = redact.preview(failure.body, hidden);
  switch (problem._tag) {
    case "status":
      return {
        reason: reason.ofStatus(head.status, head.headers, nowMs),
        detail: [
          quoted === "" ? `status ${head.status} without a body` : quoted,
          ...redirect(head, hidden),
          ...longWait(head, nowMs),
        ].join("; "),
      };
    case "error":
      return { reason: reason.ofStatus(problem.status, head.headers, nowMs), detail: problem.body };
    case "invalid": {
      const quote = problem.quote === undefined ? quoted : redact.preview(problem.quote, hidden);
      const detail = quote === "" ? problem.detail : `${problem.detail}: ${quote}`;
      return { reason: { _tag: "InvalidResponse", status: head.status }, detail };
    }
    case "interrupted":
      return { reason: { _tag: "Network", kind: "bodyInterrupted" }, detail: problem.detail };
    case "toolCall":
      return { reason: { _tag: "InvalidToolCall" }, detail: problem.detail };
  }
};

/** Where a redirect leads, for whoever wrote the base URL: none is followed. */
const redirect = ({ headers, status }: ResponseHead, hidden: ReadonlyArray<string>): ReadonlyArray<string> => {
  const location = headers["location"];
  if (status < 300 || status > 399 || location === undefined) return [];
  const shown = redact.preview(location.replace(/[?#].*$/s, ""), hidden);
  return [`the server redirects to ${shown}, which is not followed: write that address into the base URL`];
};

/** A wait that is longer than any retry keeps to. */
const longWait = ({ headers, status }: ResponseHead, nowMs: number): ReadonlyArray<string> => {
  const asked = status === 429 || status >= 500 ? reason.retryAfter(headers, nowMs) : undefined;
  return asked === undefined || asked <= reason.longestWaitMs
    ? []
    : [`the server asks for a wait of ${Math.ceil(asked / 1000)} seconds`];
};
