/**
 * One tiny call to a model, to see whether the way to it works.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import { admitModel } from "@cahier/domain/policy/admitModel";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { classifyModel } from "../failure/classifyModel.ts";
import * as Policies from "../policy/Policies.ts";

/**
 * Asks the model for one word and gives what came back, or the failure that a run would have met. A model that the
 * platform's policy does not allow is refused before a byte is sent. Nothing is journalled.
 */
export const tryModel = Effect.fn("Connections.tryModel")(function* (
  binding: ModelBinding,
): Effect.fn.Return<ModelResponse, Fatal, DocumentStore | ModelGateway> {
  const gateway = yield* ModelGateway;
  const { policy } = yield* Policies.read("platform");
  const admitted = admitModel(policy.models, binding);
  if (Result.isFailure(admitted)) return yield* fatal(admitted.failure.code, admitted.failure.message);
  return yield* gateway
    .generate(
      {
        sessionId,
        binding,
        messages: [{ role: "user", parts: [{ type: "text", text: "Answer with the one word: ready" }] }],
        tools: [],
        toolChoice: "auto",
        // Models that think spend output tokens before their first word.
        parameters: { maxOutputTokens: 256 },
        stream: true,
        position: 0,
        agent: { profileId: "connection-test", ordinal: 0, root: true },
      },
      () => undefined,
    )
    .pipe(
      Effect.mapError((fault) => classifyModel(fault, binding.secret)),
      Effect.ensuring(gateway.closeSession(sessionId)),
    );
});

const sessionId = "connection-test:once";
