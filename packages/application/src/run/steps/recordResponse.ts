/** What is recorded of a model's response: itself, and for each of its tool calls whether it may run. */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as Message from "@cahier/domain/model/Message";
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import { costOf } from "@cahier/domain/model/Prices";
import type { Payload } from "@cahier/domain/payload/Payload";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import { matchesAny } from "@cahier/domain/policy/pattern";
import { draft } from "@cahier/domain/run/RunEvent";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import * as Effect from "effect/Effect";
import * as Gate from "../../tool/gate.ts";
import * as paths from "../paths.ts";
import { invocationOf, record, type RunContext } from "../RunContext.ts";

/** Records a response and what the gate says of each of its calls. Nothing of the turn has run when it returns. */
export const recordResponse = Effect.fnUntraced(function* (
  context: RunContext,
  round: number,
  response: ModelResponse,
): Effect.fn.Return<void, Fatal> {
  const { invocationId, payloads, writer } = context;
  const path = paths.modelResponse(invocationId, round);
  const { providerState, ...answer } = response;
  const stored = yield* payloads.store(path, JSON.stringify(answer));
  context.transcript.remember(stored.sha256, response.message);
  const calls = Message.toolCallsOf(response.message);
  const text = Message.textOf(response.message);
  const used = invocationOf(context);
  const responseSeq = writer.nextSeq();
  record(
    context,
    draft("model_response_stored", invocationId, {
      round,
      invocationId,
      response: stored,
      ...(response.responseId === undefined ? {} : { responseId: response.responseId }),
      model: response.model,
      finish: response.finish,
      ...(response.usage === undefined ? {} : { usage: response.usage }),
      // What a model says beside its calls may well be the same each time: of those turns the calls tell.
      ...(calls.length > 0 || text.trim() === "" ? {} : { textSha256: Sha256.ofText(text) }),
      ...costOfResponse(context, response),
    }),
    ...(providerState === undefined
      ? []
      : [draft("provider_state_updated", invocationId, { round, invocationId, ...providerState })]),
    draft("model_completed", invocationId, summaryOf(context, round, path, response, calls.length)),
  );
  const repeated = calls.find((call, index) => calls.findIndex((other) => other.callId === call.callId) !== index);
  if (repeated !== undefined)
    return yield* fatal(
      "model.invalid_tool_call",
      `Two tool calls of one answer have the id "${repeated.callId}", so no result could be paired.`,
    );
  const verdicts = Gate.decide(context.setup.snapshot, used, calls, response.finish === "length");
  const impossible = Gate.fatalRefusal(verdicts);
  if (impossible !== undefined) return yield* fatal(impossible.code, impossible.message);
  const unadvertised = verdicts.find(({ binding }) => binding === undefined)?.refusal;
  if (unadvertised !== undefined && context.setup.unadvertisedTool === "fail")
    return yield* fatal(unadvertised.code, unadvertised.message);
  for (const verdict of verdicts) {
    const { call } = verdict;
    const index = response.message.parts.indexOf(call);
    const argumentsRef = yield* payloads.store(
      paths.toolArguments(invocationId, round, call.callId),
      call.arguments.toWellFormed(),
      { seq: responseSeq, field: "response", pointer: `/message/parts/${index}/arguments` },
    );
    recordVerdict(context, round, verdict, argumentsRef);
  }
});

const recordVerdict = (
  context: RunContext,
  round: number,
  { approval, argumentsSha256, binding, call, denial, refusal }: Gate.GateVerdict,
  argumentsRef: Payload,
): void => {
  const { invocationId } = context;
  record(
    context,
    draft("tool_call_requested", invocationId, {
      round,
      invocationId,
      callId: call.callId,
      ...(binding === undefined ? {} : { toolId: binding.descriptor.id }),
      name: call.name,
      snapshotId: context.setup.snapshot.id,
      argumentsRef,
      argumentsSha256,
      ...(refusal === undefined ? {} : { refusal }),
    }),
  );
  if (binding === undefined) return;
  const ofCall = { round, invocationId, callId: call.callId, toolId: binding.descriptor.id };
  if (denial !== undefined)
    record(context, draft("tool_call_denied", invocationId, { ...ofCall, by: "policy", ...denial }));
  if (approval === undefined) return;
  const by = allowedBy(context, binding.descriptor.id);
  record(
    context,
    by === undefined
      ? draft("tool_call_awaiting_approval", invocationId, { ...ofCall, ...approval, argumentsSha256 })
      : draft("tool_call_approved", invocationId, { ...ofCall, argumentsSha256, by }),
  );
};

/** Who has allowed every call of a tool in this run, if somebody has. */
export const allowedBy = (context: RunContext, toolId: string): "remembered" | "unattended" | undefined => {
  if (context.writer.state().approvedTools.includes(toolId)) return "remembered";
  return matchesAny(context.approve, toolId) ? "unattended" : undefined;
};

/** What the response cost, when the connection has prices and the provider counted tokens. */
const costOfResponse = ({ setup }: RunContext, { usage }: ModelResponse): { readonly cost?: number } =>
  setup.binding.prices === undefined || usage === undefined ? {} : { cost: costOf(setup.binding.prices, usage) };

const narrationLimit = 280;
const warningsLimit = 20;
const warningLimit = 300;

/** The warnings of a response as its event has them; a response has none most of the time. */
const warningsOf = ({ warnings = [] }: ModelResponse): { readonly warnings?: ReadonlyArray<string> } =>
  warnings.length === 0
    ? {}
    : {
        warnings: warnings
          .slice(0, warningsLimit)
          .map((one) => (one.length > warningLimit ? `${one.slice(0, warningLimit - 1).toWellFormed()}…` : one)),
      };

const summaryOf = (
  context: RunContext,
  round: number,
  modelResponsePath: string,
  response: ModelResponse,
  toolCallCount: number,
) => {
  const text = Message.textOf(response.message);
  const metrics = TextMetrics.measure(text);
  const reasoning = TextMetrics.measure(Message.reasoningOf(response.message));
  return {
    round,
    invocationId: context.invocationId,
    modelResponsePath,
    toolCallCount,
    textChars: metrics.chars,
    textWords: metrics.words,
    hasReasoning: reasoning.chars > 0,
    reasoningChars: reasoning.chars,
    reasoningWords: reasoning.words,
    ...(toolCallCount === 0 || text.trim() === ""
      ? {}
      : {
          narration: {
            source: "assistantText" as const,
            text: text.slice(0, narrationLimit).toWellFormed(),
            totalChars: metrics.chars,
            totalWords: metrics.words,
            truncated: text.length > narrationLimit,
          },
        }),
    ...warningsOf(response),
  };
};
