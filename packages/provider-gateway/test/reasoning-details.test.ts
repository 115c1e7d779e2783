import type { Message } from "@cahier/domain/model/Message";
import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import { protocolLimits } from "../src/protocols/openai-chat/internal/Dialect.ts";
import { makeEncoder } from "../src/protocols/openai-chat/internal/encode.ts";
import { Details } from "../src/protocols/openai-chat/internal/reasoningDetails.ts";
import { bytes, feed } from "./support/decode.ts";
import { chunk, request, sseBody } from "./support/requests.ts";

const text = (value: string, extra: object = {}) => ({ type: "reasoning.text", text: value, index: 0, ...extra });
const encrypted = (data: string, index = 0) => ({ type: "reasoning.encrypted", data, index });

const messageOf = (body: string): Message => {
  const { result } = feed([bytes(body)]);
  if (Result.isFailure(result)) throw new Error(result.failure.problem._tag);
  return result.success.message;
};

const bodyOf = (message: Message, replaysReasoning = true): string => {
  const encoder = makeEncoder({ outputLimit: "max_tokens", replaysReasoning, limits: protocolLimits });
  const encoded = encoder.encode(request({ messages: [message] }));
  return new TextDecoder().decode(Result.getOrThrow(encoded));
};

const replayed = (message: Message, replaysReasoning = true): unknown =>
  (JSON.parse(bodyOf(message, replaysReasoning)) as { readonly messages: unknown }).messages;

const joined = (pieces: unknown): ReadonlyArray<unknown> => {
  const details = new Details();
  details.add(pieces, () => (Array.isArray(pieces) ? pieces.map((piece) => JSON.stringify(piece)) : []));
  return details.json().map((json): unknown => JSON.parse(json));
};

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

  it("keep the text in which they came", () => {
    const [whole, first] = [
      '{ "type":"reasoning.encrypted","n":1.0,"data":"A\\/=" }',
      '{"n": 1.0, "text":"a","type":"reasoning.text"}',
    ];
    const details = `"reasoning_details":[${whole} , ${first}]`;
    const body = `{"choices":[{"index":1},{"finish_reason":"stop","message":{"content":"x",${details}}}]}`;
    const next = '{"text":"b","type":"reasoning.text","signature":"s\\/"}';
    const stream = [
      `{"choices":[{"delta":{${details}}}]}`,
      `{"choices":[{"delta":{"reasoning_details":[${next}]},"finish_reason":"stop"}]}`,
    ];
    const sent = (text: string) => bodyOf(messageOf(text));
    assert.include(sent(body), `"reasoning_details":[${whole},${first}]}`);
    const grown = '{"n": 1.0, "text":"ab","type":"reasoning.text","signature":"s\\/"}';
    assert.include(sent(sseBody(...stream)), `"reasoning_details":[${whole},${grown}]}`);
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
    assert.deepStrictEqual(joined(items), [items[0], items[1], text("cd", { index: 1, id: "x" }), items[4]]);
  });

  it("of no known form are left out", () => {
    assert.deepStrictEqual(joined("no"), []);
    assert.deepStrictEqual(joined([1, null, []]), []);
  });
});
