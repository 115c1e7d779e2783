/** The steps around a model call: request it, call it, record its failure. */
import { type Fatal, isRetryable } from "@cahier/domain/failure/Failure";
import * as Message from "@cahier/domain/model/Message";
import { draft } from "@cahier/domain/run/RunEvent";
import { position } from "@cahier/domain/run/RunState";
import type { Step } from "@cahier/domain/run/nextStep";
import type { ModelFault } from "@cahier/ports/ModelGateway";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { classifyModel, retryAfterMs } from "../../failure/classifyModel.ts";
import { isHostTrouble } from "../../failure/hostTrouble.ts";
import { recordView, viewOf } from "../../context/requestView.ts";
import { cutText } from "../../payload/cutText.ts";
import { atomically, changeStatus, invocationOf, record, type RunContext } from "../RunContext.ts";
import { recordResponse } from "./recordResponse.ts";

/** Decides on the request of a round. Nothing is sent: that is the next step. */
export const requestModel = (context: RunContext, step: Extract<Step, { _tag: "RequestModel" }>): void => {
  const { messages, userMessage } = invocationOf(context);
  changeStatus(context.writer, context.invocationId, "calling_model", "round");
  record(
    context,
    draft("model_request_created", context.invocationId, {
      round: step.round,
      invocationId: context.invocationId,
      messageCount: messages.length + (userMessage === null ? 0 : 1),
    }),
  );
};

/** Sends the request and records what came back. A failed attempt is journalled before it is repeated. */
export const callModel = Effect.fnUntraced(function* (
  context: RunContext,
  step: Extract<Step, { _tag: "CallModel" }>,
): Effect.fn.Return<void, Fatal> {
  const { writer, invocationId, setup } = context;
  if (step.delayMs > 0) yield* Effect.sleep(step.delayMs);
  const limits = invocationOf(context).context?.limits;
  const maxRetries = limits?.maxRetries ?? 0;
  const view = yield* viewOf(context);
  yield* atomically(
    context,
    Effect.suspend(() => {
      changeStatus(writer, invocationId, "calling_model", "resumed");
      recordView(context, step.round, view);
      record(
        context,
        draft("model_call_attempt_started", invocationId, {
          round: step.round,
          invocationId,
          attempt: step.attempt,
          maxRetries,
        }),
      );
      return writer.flush;
    }),
  );
  const invocation = invocationOf(context);
  const request = {
    sessionId: `${writer.runId}:${invocationId}`,
    binding: setup.binding,
    messages: view.messages,
    tools: setup.definitions,
    toolChoice: "auto" as const,
    parameters: setup.parameters,
    stream: setup.stream,
    position: position(invocation),
    // A provider that keeps a conversation keeps what was shown before, which is not what is shown now.
    ...(invocation.providerState === null || !view.isPlain ? {} : { providerState: invocation.providerState }),
    agent: {
      profileId: invocation.profileId,
      ordinal: ordinalOf(context),
      root: invocation.kind === "root",
    },
  };
  const answered = yield* Effect.result(
    context.gateway.generate(request, (delta) => context.onDelta(delta, invocationId)),
  );
  if (Result.isSuccess(answered))
    return yield* atomically(context, recordResponse(context, step.round, answered.success));
  const failure = classifyModel(answered.failure, setup.binding.secret);
  // Nothing was attempted: whoever resumes the run on a host that is set up makes this very attempt.
  if (isHostTrouble(failure)) return yield* failure;
  yield* atomically(
    context,
    Effect.suspend(() => {
      recordFailedAttempt(context, step, answered.failure, failure, maxRetries, limits?.retryIntervalMs ?? 0);
      return writer.flush;
    }),
  );
});

const ordinalOf = (context: RunContext): number => {
  const { kind, profileId } = invocationOf(context);
  // Nobody comes before whoever began the run.
  if (kind === "root") return 0;
  const same = Object.values(context.writer.state().invocations).filter((other) => other.profileId === profileId);
  return same.findIndex((other) => other.id === context.invocationId);
};

/** How much of a broken answer an event keeps, in bytes of UTF-8. */
const partialTextLimitBytes = 8192;

const recordFailedAttempt = (
  context: RunContext,
  step: Extract<Step, { _tag: "CallModel" }>,
  fault: ModelFault,
  failure: Fatal,
  maxRetries: number,
  retryIntervalMs: number,
): void => {
  const { invocationId } = context;
  const retryable = isRetryable(failure.reason.code);
  const willRetry = retryable && (invocationOf(context).request?.failures ?? 0) < maxRetries;
  const partialText = fault.partial === undefined ? "" : Message.textOf(fault.partial.message);
  record(context, {
    ...draft("model_call_attempt_failed", invocationId, {
      round: step.round,
      invocationId,
      attempt: step.attempt,
      maxRetries,
      code: failure.reason.code,
      retryable,
      willRetry,
      message: failure.message,
      ...(partialText === "" ? {} : { partialText: cutText(partialText, partialTextLimitBytes) }),
    }),
    level: willRetry ? "warn" : "error",
  });
  if (!willRetry) return;
  record(
    context,
    draft("model_call_retry_scheduled", invocationId, {
      round: step.round,
      invocationId,
      nextAttempt: step.attempt + 1,
      intervalMs: Math.max(retryAfterMs(fault) ?? 0, retryIntervalMs),
    }),
  );
};
