/**
 * Laws of interruption and of sessions.
 */
import * as Message from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelDelta, ModelResponse } from "@cahier/domain/model/ModelResponse";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Option from "effect/Option";
import * as Schedule from "effect/Schedule";
import * as Expectation from "../../../Expectation.ts";
import { callTurn, type Gateway, law, text, textTurn } from "./Scenario.ts";

export const laws = [
  law({
    id: "MDL-40",
    title: "a call to a server that hangs ends within a second when it is interrupted, and the gateway goes on",
    *check(harness) {
      const gateway = yield* harness.open;
      for (const stream of [true, false]) {
        const deltas: Array<ModelDelta> = [];
        const request = yield* harness.play({ text, error: { hang: true } }, { stream });
        const asking = yield* Effect.forkChild(
          gateway.generate(request, (delta) => void deltas.push(delta)),
          { startImmediately: true },
        );
        yield* Effect.yieldNow;
        const ended = yield* Effect.timeoutOption(Fiber.interrupt(asking), "1 second");
        yield* Expectation.isTrue(Option.isSome(ended), "the call was still there a second after its interruption");
        const atEnd = deltas.length;
        const response = yield* gateway.generate(yield* harness.play(textTurn, { stream }), () => undefined);
        yield* Expectation.same("next answer", Message.textOf(response.message), text);
        yield* Expectation.same("deltas after the end", deltas.length, atEnd);
      }
    },
  }),
  law({
    id: "MDL-41",
    title: "interruption closes the connection",
    needs: ["openRequests"],
    *check(harness) {
      const gateway = yield* harness.open;
      const request = yield* harness.play({ text, error: { hang: true } }, { stream: true });
      const asking = yield* Effect.forkChild(
        gateway.generate(request, () => undefined),
        { startImmediately: true },
      );
      const becomes = (count: number) =>
        Effect.repeat(harness.openRequests, {
          schedule: Schedule.spaced("5 millis"),
          until: (found) => found === count,
        });
      yield* Expectation.within("the request has arrived", becomes(1));
      yield* Fiber.interrupt(asking);
      yield* Expectation.within("the connection is closed", becomes(0));
    },
  }),
  law({
    id: "MDL-42",
    title: "a session whose messages grow is answered each time",
    *check(harness) {
      const gateway = yield* harness.open;
      const first = yield* harness.play(callTurn, { stream: true });
      const answer = yield* gateway.generate(first, () => undefined);
      const second = yield* following(first, answer, yield* harness.play(textTurn, { stream: true }));
      const response = yield* gateway.generate(second, () => undefined);
      yield* Expectation.same("text", Message.textOf(response.message), text);
    },
  }),
  law({
    id: "MDL-43",
    title: "a session is closed any number of times, and can be used again",
    *check(harness) {
      const gateway = yield* harness.open;
      const request = yield* harness.play(textTurn);
      yield* gateway.generate(request, () => undefined);
      yield* gateway.closeSession(request.sessionId);
      yield* gateway.closeSession(request.sessionId);
      yield* gateway.closeSession("run_unknown:inv_root");
      const again = yield* harness.play(textTurn);
      const response = yield* gateway.generate({ ...again, sessionId: request.sessionId }, () => undefined);
      yield* Expectation.same("text", Message.textOf(response.message), text);
    },
  }),
  law({
    id: "MDL-44",
    title: "the state of a provider's session names the binding, and counts the messages that were answered",
    *check(harness) {
      const gateway = yield* harness.open;
      for (const stream of [true, false]) {
        const first = yield* harness.play(callTurn, { stream });
        const answer = yield* gateway.generate(first, () => undefined);
        const second = yield* following(first, answer, yield* harness.play(textTurn, { stream }));
        const response = yield* gateway.generate(second, () => undefined);
        yield* Expectation.same("state is there", stateOf(response) === null, stateOf(answer) === null);
        for (const [request, { providerState }] of [
          [first, answer],
          [second, response],
        ] as const)
          if (providerState !== undefined)
            yield* Expectation.same(
              "source, format and messages",
              [providerState.source, providerState.format, providerState.messageCursor],
              [request.binding.source, request.binding.format, request.messages.length],
            );
      }
    },
  }),
  law({
    id: "MDL-45",
    title: "a gateway that is made anew goes on with the state of a session as the one that left it would",
    *check(harness) {
      for (const stream of [true, false]) {
        const old = yield* harness.open;
        const first = yield* harness.play(callTurn, { stream });
        const answer = yield* old.generate(first, () => undefined);
        const goOn = Effect.fnUntraced(function* (gateway: Gateway) {
          const second = yield* following(first, answer, yield* harness.play(textTurn, { stream }));
          const response = yield* Expectation.within(
            "generate",
            gateway.generate(second, () => undefined),
          );
          return [Message.textOf(response.message), response.finish, stateOf(response)];
        });
        const fresh = yield* goOn(yield* harness.open);
        yield* Expectation.same("text", fresh[0], text);
        yield* Expectation.same("answers", fresh, yield* goOn(old));
      }
    },
  }),
];

/** `next` as the request after `answer` to `first`: with the result of its call, in its session, with its state. */
const following = Effect.fnUntraced(function* (
  first: ModelRequest,
  { message, providerState }: ModelResponse,
  next: ModelRequest,
): Effect.fn.Return<ModelRequest, Expectation.LawBroken> {
  const [call] = Message.toolCallsOf(message);
  if (call === undefined) return yield* new Expectation.LawBroken({ detail: "the answer has no tool call" });
  const { callId, name } = call;
  const result = { type: "toolResult", callId, name, content: "done", isError: false } as const;
  return {
    ...next,
    sessionId: first.sessionId,
    messages: [...first.messages, message, { role: "tool", parts: [result] }],
    ...(providerState === undefined ? {} : { providerState }),
  };
});

/** The state without the ids of responses, which are the provider's; null where there is none. */
const stateOf = ({ providerState }: ModelResponse) => {
  if (providerState === undefined) return null;
  const { lastResponseId: _last, previousResponseId: _previous, ...state } = providerState;
  return state;
};
