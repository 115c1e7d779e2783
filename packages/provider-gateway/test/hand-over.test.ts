import type { Message } from "@cahier/domain/model/Message";
import * as Messages from "@cahier/domain/model/Message";
import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import { bytes, encoding, feed, inFormat } from "./support/decode.ts";
import * as players from "./support/players.ts";

/** A turn of a model in a format, with its call answered. */
const turn = (format: ModelFormat, place: number): ReadonlyArray<Message> => {
  const toolCalls = [{ id: `call_${place}`, name: "read", rawArguments: `{ "place": ${place}.0 }` }];
  const body = players.of(format).whole({ text: `Text ${place}.`, reasoning: `Thought ${place}.`, toolCalls });
  const { result } = feed([bytes(body)], { request: inFormat(format) });
  if (Result.isFailure(result)) throw new Error(JSON.stringify(result.failure));
  const { message } = result.success;
  return [message, ...Messages.toolCallsOf(message).map(answerTo), Messages.text("user", `Go on after ${place}.`)];
};

const answerTo = ({ callId, name }: Messages.ToolCallPart): Message => ({
  role: "tool",
  parts: [{ type: "toolResult", callId, name, content: `result of ${callId}`, isError: false }],
});

const nativesOf = (messages: ReadonlyArray<Message>, format: ModelFormat): ReadonlyArray<string> =>
  messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "native" && part.format === format ? [part.json] : [])),
  );

const hops = [
  "openai-chat",
  "anthropic-messages",
  "gemini-generate-content",
  "openai-responses",
  "gemini-interactions",
  "anthropic-messages",
] as const;

describe("a conversation that goes from format to format", () => {
  const history = [Messages.text("system", "Be kind."), Messages.text("user", "Begin."), ...hops.flatMap(turn)];
  /** What each hop had before it. */
  const before = hops.map((_, place) => history.slice(0, 2 + place * 3));

  it("takes every text, call and result along", () => {
    for (const [place, format] of hops.entries()) {
      const sent = encoding(format).text({ messages: before[place] ?? [] });
      for (let earlier = 0; earlier < place; earlier += 1) {
        assert.include(sent, `Text ${earlier}.`, `${format} at ${place}`);
        assert.include(sent, `result of call_${earlier}`, `${format} at ${place}`);
        assert.include(sent, `"place`, `${format} at ${place}`);
        assert.include(sent, `Go on after ${earlier}.`, `${format} at ${place}`);
      }
    }
  });

  it("leaves the native items and the reasoning of other formats behind, and says so at each hop", () => {
    const losses = hops.map((format, place) => encoding(format).losses({ messages: before[place] ?? [] }));
    const chat = (to: string) => `The model's earlier reasoning was not sent to ${to}.`;
    const stays = (from: string, to: string) =>
      `The model's earlier reasoning stays with ${from} and was not sent to ${to}.`;
    assert.deepStrictEqual(losses.slice(0, 4), [
      [],
      [chat("anthropic-messages")],
      [chat("gemini-generate-content"), stays("anthropic-messages", "gemini-generate-content")],
      [
        chat("openai-responses"),
        stays("anthropic-messages", "openai-responses"),
        stays("gemini-generate-content", "openai-responses"),
      ],
    ]);
    const last = losses[5] ?? [];
    assert.isFalse(last.some((loss) => loss.includes("stays with anthropic-messages")));
    assert.lengthOf(last, 4);
  });

  it("gives each format its own native items back on return, byte for byte, and nobody else's", () => {
    const formats = [...new Set(hops)];
    for (const format of formats) {
      const sent = encoding(format).text({ messages: history });
      for (const json of nativesOf(history, format)) assert.include(sent, json);
      const isPrivate = (place: number): boolean => hops[place] !== format && format !== "openai-chat";
      const others = hops.flatMap((_, place) => (isPrivate(place) ? [`Thought ${place}.`] : []));
      for (const thought of others) assert.notInclude(sent, thought, format);
    }
    // This format has words for reasoning and none for what signs it.
    const chat = encoding("openai-chat").text({ messages: history });
    assert.include(chat, "Thought 1.");
    for (const signature of ["c2ln", "gAAA"]) assert.notInclude(chat, signature);
    assert.lengthOf(nativesOf(history, "anthropic-messages"), 6);
    assert.include(encoding("anthropic-messages").text({ messages: history }), '"input":{ "place": 1.0 }');
  });
});
