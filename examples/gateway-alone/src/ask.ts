/**
 * One question to a model by the gateway alone: no run, no journal, no tools.
 *
 * Owns what a call needs at least. Does not own where the server is, nor who reads the answer.
 */
import * as Message from "@cahier/domain/model/Message";
import type { ModelBinding, ModelRequest } from "@cahier/domain/model/ModelRequest";
import { ModelGateway, type OnDelta } from "@cahier/ports/ModelGateway";
import * as Effect from "effect/Effect";

/** The text of the answer; `onDelta` sees it come. Another format, a key or another vendor is another binding. */
export const ask = Effect.fn("ask")(function* (binding: ModelBinding, question: string, onDelta: OnDelta) {
  const gateway = yield* ModelGateway;
  const request: ModelRequest = {
    sessionId: "alone",
    position: 0,
    agent: { profileId: "alone", ordinal: 0, root: true },
    tools: [],
    toolChoice: "none",
    parameters: {},
    stream: true,
    binding,
    messages: [Message.text("user", question)],
  };
  return Message.textOf((yield* gateway.generate(request, onDelta)).message);
});
