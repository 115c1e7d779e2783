/**
 * Laws of whole responses and of the deltas on the way.
 */
import * as Message from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelDelta } from "@cahier/domain/model/ModelResponse";
import * as Effect from "effect/Effect";
import * as Expectation from "../../../Expectation.ts";
import { calls, callTurn, type Gateway, law, text, textTurn } from "./Scenario.ts";

export const laws = [
  law({
    id: "MDL-01",
    title: "a text answer is one message of the assistant, with the usage that was reported and a natural stop",
    *check(harness) {
      const gateway = yield* harness.open;
      for (const stream of [true, false]) {
        const { response } = yield* ask(gateway, yield* harness.play(textTurn, { stream }));
        yield* Expectation.same(
          "role and text",
          [response.message.role, Message.textOf(response.message)],
          ["assistant", text],
        );
        yield* Expectation.same("finish", response.finish, "stop");
        yield* Expectation.same("usage", [response.usage?.inputTokens, response.usage?.outputTokens], [11, 7]);
        yield* Expectation.same("tool calls", Message.toolCallsOf(response.message), []);
      }
    },
  }),
  law({
    id: "MDL-02",
    title: "the text deltas of a stream, joined, equal the text of the message",
    *check(harness) {
      const gateway = yield* harness.open;
      const { deltas, response } = yield* ask(gateway, yield* harness.play(textTurn, { stream: true }));
      yield* Expectation.isTrue(deltas.length > 0, "a stream gave no delta");
      yield* Expectation.same("joined", joined(deltas, "text"), Message.textOf(response.message));
      yield* Expectation.same("text", Message.textOf(response.message), text);
    },
  }),
  law({
    id: "MDL-03",
    title: "a tool call keeps its id, its name and the raw text of its arguments",
    *check(harness) {
      const gateway = yield* harness.open;
      for (const stream of [true, false]) {
        const { response } = yield* ask(gateway, yield* harness.play(callTurn, { stream }));
        yield* Expectation.same("calls", Message.toolCallsOf(response.message).map(fields), [expected(calls[0])]);
        yield* Expectation.same("finish", response.finish, "toolCalls");
      }
    },
  }),
  law({
    id: "MDL-04",
    title: "two parallel tool calls beside a text keep their order and what belongs to each",
    *check(harness) {
      const gateway = yield* harness.open;
      for (const stream of [true, false]) {
        const { response } = yield* ask(gateway, yield* harness.play({ text, toolCalls: calls }, { stream }));
        yield* Expectation.same("calls", Message.toolCallsOf(response.message).map(fields), calls.map(expected));
        yield* Expectation.same("text", Message.textOf(response.message), text);
        yield* Expectation.same("finish", response.finish, "toolCalls");
      }
    },
  }),
  law({
    id: "MDL-05",
    title: "the deltas of a tool call begin, continue and end by its index, and joined they are its arguments",
    *check(harness) {
      const gateway = yield* harness.open;
      const { deltas } = yield* ask(gateway, yield* harness.play({ toolCalls: calls }, { stream: true }));
      for (const [index, call] of calls.entries()) {
        const own = deltas.filter((delta) => "index" in delta && delta.index === index);
        const kinds = own.map((delta) => delta.type);
        yield* Expectation.same("first and last", [kinds[0], kinds.at(-1)], ["toolCallStart", "toolCallEnd"]);
        yield* Expectation.same(
          "between",
          kinds.slice(1, -1).filter((kind) => kind !== "toolCallDelta"),
          [],
        );
        const arguments_ = own.map((delta) => (delta.type === "toolCallDelta" ? delta.text : "")).join("");
        yield* Expectation.same("arguments", arguments_, call.rawArguments);
        const start = own[0];
        yield* Expectation.same("name", start?.type === "toolCallStart" ? start.name : null, call.name);
      }
    },
  }),
  law({
    id: "MDL-06",
    title: "reasoning is kept apart from the text, in the message and in the deltas",
    needs: ["reason"],
    *check(harness) {
      const gateway = yield* harness.open;
      const turn = { reasoning: "First the tide.", text };
      for (const stream of [true, false]) {
        const { response } = yield* ask(gateway, yield* harness.reason(turn, { stream }));
        yield* Expectation.same("reasoning", Message.reasoningOf(response.message), "First the tide.");
        yield* Expectation.same("text", Message.textOf(response.message), text);
      }
      const { deltas } = yield* ask(gateway, yield* harness.reason(turn, { stream: true }));
      yield* Expectation.same("reasoning deltas", joined(deltas, "reasoning"), "First the tide.");
      yield* Expectation.same("text deltas", joined(deltas, "text"), text);
    },
  }),
  law({
    id: "MDL-07",
    title: "no delta comes after the end of its call",
    *check(harness) {
      const gateway = yield* harness.open;
      const first = yield* ask(gateway, yield* harness.play(textTurn, { stream: true }));
      const atEnd = first.deltas.length;
      yield* ask(gateway, yield* harness.play(callTurn, { stream: true }));
      yield* ask(gateway, yield* harness.play(textTurn, { stream: false }));
      yield* Expectation.same("deltas of the first call", first.deltas.length, atEnd);
    },
  }),
  law({
    id: "MDL-08",
    title: "calls at the same time do not mix",
    *check(harness) {
      const gateway = yield* harness.open;
      const requests = [
        yield* harness.play({ text: "one ".repeat(40) }, { stream: true }),
        yield* harness.play({ text: "two ".repeat(40) }, { stream: true }),
      ];
      const answers = yield* Effect.forEach(requests, (request) => ask(gateway, request), { concurrency: "unbounded" });
      yield* Expectation.same(
        "texts",
        answers.map(({ response }) => Message.textOf(response.message)),
        ["one ".repeat(40), "two ".repeat(40)],
      );
      yield* Expectation.same(
        "deltas",
        answers.map(({ deltas }) => joined(deltas, "text")),
        ["one ".repeat(40), "two ".repeat(40)],
      );
    },
  }),
  law({
    id: "MDL-09",
    title: "the gateway names the format of a request that it answers",
    *check(harness) {
      const gateway = yield* harness.open;
      const request = yield* harness.play(textTurn);
      yield* Expectation.isTrue(
        gateway.formats.includes(request.binding.format),
        "the format is not among its formats",
      );
    },
  }),
];

/** The response, and the deltas in the order in which they came; the array grows if more come later. */
const ask = Effect.fnUntraced(function* (gateway: Gateway, request: ModelRequest) {
  const deltas: Array<ModelDelta> = [];
  const response = yield* Expectation.within(
    "generate",
    gateway.generate(request, (delta) => void deltas.push(delta)),
  );
  return { response, deltas };
});

const joined = (deltas: ReadonlyArray<ModelDelta>, type: "text" | "reasoning"): string =>
  deltas.map((delta) => (delta.type === type ? delta.text : "")).join("");

const fields = (call: Message.ToolCallPart) => [call.callId, call.name, call.arguments];

const expected = (call: { readonly id: string; readonly name: string; readonly rawArguments: string }) => [
  call.id,
  call.name,
  call.rawArguments,
];
