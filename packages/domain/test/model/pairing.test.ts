import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { CallId } from "../../src/identity/Identity.ts";
import { type Message, text } from "../../src/model/Message.ts";
import * as Pairing from "../../src/model/pairing.ts";

const calling = (...ids: ReadonlyArray<string>): Message => ({
  role: "assistant",
  parts: ids.map((id) => ({ type: "toolCall", callId: CallId.make(id), name: "act", arguments: "{}" })),
});

const answering = (id: string): Message => ({
  role: "tool",
  parts: [{ type: "toolResult", callId: CallId.make(id), name: "act", content: "", isError: false }],
});

/** What is open after all messages, or the sentence about the first that does not fit. */
const after = (messages: ReadonlyArray<Message>): Result.Result<Pairing.OpenCalls, string> =>
  messages.reduce<Result.Result<Pairing.OpenCalls, string>>(
    (open, message) => Result.flatMap(open, (calls) => Pairing.follow(calls, message)),
    Result.succeed([]),
  );

const isWhole = (messages: ReadonlyArray<Message>): boolean =>
  Result.isSuccess(Result.flatMap(after(messages), Pairing.requireClosed));

describe("the pairing of calls and results", () => {
  it("takes each result once, in any order, and ids again in a later turn", () => {
    const turn = [calling("a", "b"), answering("b"), answering("a")];
    assert.isTrue(isWhole([text("user", "Go."), ...turn, ...turn, text("user", "On."), calling()]));
  });

  it.each<readonly [string, ReadonlyArray<Message>]>([
    ["a call without a result at the end", [calling("a")]],
    ["a call without a result before the next answer", [calling("a"), calling("b"), answering("b")]],
    ["somebody who speaks between a call and its result", [calling("a"), text("user", "Well?"), answering("a")]],
    ["a second result", [calling("a"), answering("a"), answering("a")]],
    ["a result of no call", [answering("a")]],
    ["one id twice in a turn", [calling("a", "a"), answering("a")]],
  ])("refuses %s", (_, messages) => {
    assert.isFalse(isWhole(messages));
  });

  it.prop(
    "of a whole conversation none of its messages about calls can be left out or repeated",
    [
      Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 }))), {
        maxLength: 5,
      }),
    ],
    ([turns]) => {
      const messages = turns.flatMap((count, turn) => {
        const ids = Array.from({ length: count }, (_, index) => `${turn % 2}_${index}`);
        return [calling(...ids), ...ids.map(answering)];
      });
      assert.isTrue(isWhole(messages));
      for (const index of messages.keys()) {
        assert.isFalse(isWhole(messages.toSpliced(index, 1)), `without ${index}`);
        assert.isFalse(isWhole(messages.toSpliced(index, 0, ...messages.slice(index, index + 1))), `${index} twice`);
      }
    },
  );
});
