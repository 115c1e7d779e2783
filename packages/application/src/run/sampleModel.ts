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
import type { CallState } from "@cahier/domain/run/RunState";
import type { SourceRefusal, SourceSampling } from "@cahier/ports/ToolSource";
import * as Effect from "effect/Effect";
import { classifyModel } from "../failure/classifyModel.ts";
import type { Sampled, ToolContext } from "../tool/Tool.ts";
import { invocationOf, type RunContext } from "./RunContext.ts";

/** What one call may ask the model for; the same function for the whole of it. */
export const samplerOf = (context: RunContext, { callId }: CallState): ToolContext["sample"] => {
  const { gateway, invocationId, setup, writer } = context;
  const used = { tokens: 0, cost: 0 };
  const sessionId = `${writer.runId}:${invocationId}:${callId}`;
  return Effect.fn("Tool.sample")(function* (request: SourceSampling): Effect.fn.Return<Sampled, SourceRefusal> {
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
      tokens,
      cost,
    };
  });
};

/** Whom a script knows as the one that answers tools. */
const samplingAgent = "sampling";

const refused = ({ reason }: Fatal): SourceRefusal => ({ code: reason.code, message: reason.message });
