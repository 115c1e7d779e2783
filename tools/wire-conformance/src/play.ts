/**
 * Plays a scenario on a route through the gateway and says what came of it.
 */
import { CallId } from "@cahier/domain/identity/Identity";
import * as Messages from "@cahier/domain/model/Message";
import type { Message } from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import { type ModelFault, ModelGateway } from "@cahier/ports/ModelGateway";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Result from "effect/Result";
import { request } from "./request.ts";
import type { Route } from "./routes.ts";
import type { Outcome, Scenario } from "./scenarios.ts";
import type { Turn } from "./Turn.ts";
import { scriptOf } from "./written/script.ts";

/** `responses` are all that came, in order. */
export interface Played {
  readonly outcome: Outcome;
  readonly responses: ReadonlyArray<ModelResponse>;
}

/** One scenario with the gateway in context; an interrupted call is over before this ends. */
export const play = Effect.fn("play")(function* (route: Route, scenario: Scenario, stream: boolean) {
  const gateway = yield* ModelGateway;
  const binding = route.name === "scripted" ? { ...route.binding, script: scriptOf(scenario.turns) } : route.binding;
  const first = request({ ...route, binding }, { ...scenario.request, stream });
  const responses: Array<ModelResponse> = [];
  const messages: Array<Message> = [...first.messages];
  for (const [position, turn] of scenario.turns.entries()) {
    const asked: ModelRequest = { ...first, messages: [...messages], position };
    if (turn.ending === "open") return { outcome: yield* leave(asked, turn), responses };
    const result = yield* Effect.result(gateway.generate(asked, () => undefined));
    if (Result.isFailure(result)) return { outcome: faultOf(result.failure), responses };
    responses.push(result.success);
    messages.push(result.success.message, ...answersOf(result.success.message, scenario));
  }
  const [last] = responses.slice(-1);
  return { outcome: last === undefined ? yield* Effect.die(new Error("no turn")) : responseOf(last), responses };
});

/** Asks, leaves when the whole text of the turn has come, and waits until the call has ended. */
const leave = Effect.fn("play.leave")(function* (asked: ModelRequest, turn: Turn) {
  const gateway = yield* ModelGateway;
  const arrived = yield* Deferred.make<string>();
  const seen = { text: "" };
  const fiber = yield* Effect.forkChild(
    gateway.generate(asked, (delta) => {
      if (delta.type === "text") seen.text += delta.text;
      if (seen.text === turn.text) Deferred.doneUnsafe(arrived, Effect.succeed(seen.text));
    }),
  );
  const text = yield* Deferred.await(arrived);
  yield* Fiber.interrupt(fiber);
  const outcome: Outcome = { _tag: "left", text };
  return outcome;
});

const responseOf = ({ finish, message }: ModelResponse): Outcome => ({
  _tag: "response",
  text: Messages.textOf(message),
  reasoning: Messages.reasoningOf(message),
  calls: Messages.toolCallsOf(message).map(({ arguments: raw, callId, name }) => ({ id: callId, name, raw })),
  finish,
});

const faultOf = ({ partial, reason }: ModelFault): Outcome => ({
  _tag: "fault",
  reason,
  ...(partial === undefined ? {} : { partial: Messages.textOf(partial.message) }),
});

const answersOf = (message: Message, { results = {} }: Scenario): ReadonlyArray<Message> =>
  Messages.toolCallsOf(message).map(({ callId, name }) => ({
    role: "tool",
    parts: [{ type: "toolResult", callId: CallId.make(callId), name, content: results[callId] ?? "", isError: false }],
  }));
