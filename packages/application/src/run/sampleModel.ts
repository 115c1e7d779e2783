/**
 * A text from the run's model for a tool that asks for one in the middle of its call.
 *
 * Owns the request and what it costs. Counts what the call has used so far, so that no tool gets past the budgets of its run.
 * Does not own who may ask: the source does.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { text, textOf } from "@cahier/domain/model/Message";
import { costOf } from "@cahier/domain/model/Prices";
import { outOfBudget } from "@cahier/domain/run/nextStep";
import type { ToolUsage } from "@cahier/domain/run/event/tool";
import type { CallState } from "@cahier/domain/run/RunState";
import type { SourceRefusal, SourceSample, SourceSampling } from "@cahier/ports/ToolSource";
import * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import { classifyModel } from "../failure/classifyModel.ts";
import type { ToolContext } from "../tool/Tool.ts";
import { invocationOf, type RunContext } from "./RunContext.ts";

/** What a call has had of the run's model so far: tokens and, where the connection states prices, its currency. */
export interface SampledSoFar {
  tokens: number;
  cost: number;
}

/** Nothing, as every call begins. */
export const nothingSampled = (): SampledSoFar => ({ tokens: 0, cost: 0 });

/** What a call has used by its tool's word and by what it had of the model; undefined for nothing. */
export const usageWith = (stated: ToolUsage | undefined, { cost, tokens }: SampledSoFar): ToolUsage | undefined => {
  if (tokens === 0 && cost === 0) return stated;
  return {
    ...stated,
    tokens: (stated?.tokens ?? 0) + tokens,
    ...(cost === 0 && stated?.cost === undefined ? {} : { cost: (stated?.cost ?? 0) + cost }),
  };
};

/**
 * What one call may ask the model for; the same function for the whole of it. `used` is raised by every answer. Several at once
 * wait for each other, so that each is held to the budgets with all that was answered before.
 */
export const samplerOf = (context: RunContext, { callId }: CallState, used: SampledSoFar): ToolContext["sample"] => {
  const { gateway, invocationId, setup, writer } = context;
  const sessionId = `${writer.runId}:${invocationId}:${callId}`;
  const oneByOne = Semaphore.makeUnsafe(1);
  const sample = Effect.fn("Tool.sample")(function* (
    request: SourceSampling,
  ): Effect.fn.Return<SourceSample, SourceRefusal> {
    const invocation = invocationOf(context);
    const refusal = outOfBudget(writer.state(), invocation, used);
    if (refusal !== undefined) return yield* Effect.fail({ code: refusal.code, message: refusal.message });
    const { maxOutputTokens = Number.POSITIVE_INFINITY } = setup.parameters;
    const response = yield* gateway
      .generate(
        {
          sessionId,
          binding: setup.binding,
          messages: [
            ...(request.system === undefined ? [] : [text("system", request.system.toWellFormed())]),
            ...request.messages.map(({ role, text: said }) => text(role, said.toWellFormed())),
          ],
          tools: [],
          toolChoice: "auto",
          parameters: { ...setup.parameters, maxOutputTokens: Math.min(maxOutputTokens, request.maxTokens) },
          stream: setup.stream,
          position: 0,
          agent: { profileId: samplingAgent, ordinal: 0, root: false },
        },
        () => undefined,
      )
      .pipe(
        Effect.mapError((fault) => refused(classifyModel(fault, setup.binding.secret))),
        Effect.ensuring(gateway.closeSession(sessionId)),
      );
    const { usage } = response;
    const tokens = usage === undefined ? 0 : usage.inputTokens + usage.outputTokens;
    const cost = usage === undefined || setup.binding.prices === undefined ? 0 : costOf(setup.binding.prices, usage);
    used.tokens += tokens;
    used.cost += cost;
    return {
      text: textOf(response.message),
      model: response.model,
      isCut: response.finish === "length",
    };
  });
  return (request) => oneByOne.withPermit(sample(request));
};

/** Whom a script knows as the one that answers tools. */
const samplingAgent = "sampling";

const refused = ({ reason }: Fatal): SourceRefusal => ({ code: reason.code, message: reason.message });
