import type { Message } from "@cahier/domain/model/Message";
import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import { encodeMessage } from "../src/protocols/openai-chat/internal/encode.ts";
import * as reasoningDetails from "../src/protocols/openai-chat/internal/reasoningDetails.ts";
import { bytes, feed } from "./support/decode.ts";
import { chunk, sseBody } from "./support/requests.ts";

const text = (value: string, extra: object = {}) => ({ type: "reasoning.text", text: value, index: 0, ...extra });
const encrypted = (data: string, index = 0) => ({ type: "reasoning.encrypted", data, index });

const messageOf = (body: string): Message => {
  const { result } = feed([bytes(body)]);
  if (Result.isFailure(result)) throw new Error(result.failure.problem._tag);
  return result.success.message;
};

const replayed = (message: Message, replaysReasoning = true) =>
  encodeMessage(message, { outputLimit: "max_tokens", replaysReasoning });

describe("reasoning details", () => {
  it("of a stream become items with their signature, kept as native parts and sent back in order", () => {
    const message = messageOf(
      sseBody(
        chunk({ reasoning: "I thi", reasoning_details: [text("I thi", { signature: "" })] }),
        chunk({ reasoning: "nk", reasoning_details: [text("nk", { format: null })] }),
        chunk({ reasoning_details: [{ ...text(""), signature: "sig+/=" }] }),
        chunk({ reasoning_details: [encrypted("AAA="), encrypted("BBB=")] }),
        chunk({ content: "Hello" }, "stop"),
      ),
    );
    assert.deepStrictEqual(
      message.parts.map((part) => part.type),
      ["text", "reasoning", "native", "native", "native"],
    );
    assert.deepStrictEqual(replayed(message), [
      {
        role: "assistant",
        content: "Hello",
        reasoning_details: [text("I think", { signature: "sig+/=" }), encrypted("AAA="), encrypted("BBB=")],
      },
    ]);
  });

  it("of one body go back as they came, unknown fields included", () => {
    const details = [
      { type: "reasoning.summary", summary: "s", index: 0 },
      { ...encrypted("A", 1), own: [1] },
    ];
    const message = { role: "assistant", content: "a", reasoning: "s", reasoning_details: details };
    const body = JSON.stringify({ choices: [{ message, finish_reason: "stop" }] });
    assert.deepStrictEqual(replayed(messageOf(body)), [
      { role: "assistant", content: "a", reasoning_details: details },
    ]);
  });

  it("are not sent to an endpoint that refuses reasoning, nor those of another format", () => {
    const parts = [{ type: "native" as const, source: "x", model: "m", json: '{"type":"reasoning.text"}' }];
    const of = (format: string): Message => ({ role: "assistant", parts: parts.map((part) => ({ ...part, format })) });
    assert.deepStrictEqual(replayed(of("openai-chat"), false), [{ role: "assistant", content: null }]);
    assert.deepStrictEqual(replayed(of("anthropic-messages")), [{ role: "assistant", content: null }]);
  });

  it("of different indices, ids or after a signature are different items", () => {
    const items = [
      text("a", { signature: "s" }),
      text("b"),
      text("c", { index: 1 }),
      text("d", { index: 1, id: "x" }),
      text("e", { index: 1, id: "y" }),
    ];
    assert.deepStrictEqual(reasoningDetails.join([], items), [
      items[0] as never,
      items[1] as never,
      text("cd", { index: 1, id: "x" }),
      items[4] as never,
    ]);
  });

  it("of no known form are left out", () => {
    assert.deepStrictEqual(reasoningDetails.join([], "no"), []);
    assert.deepStrictEqual(reasoningDetails.join([], [1, null, []]), []);
  });
});
