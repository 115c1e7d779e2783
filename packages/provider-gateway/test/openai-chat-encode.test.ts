import * as Messages from "@cahier/domain/model/Message";
import type { Message } from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import { type Dialect, protocolLimits } from "../src/protocols/openai-chat/internal/Dialect.ts";
import { encodeMessage, makeEncoder } from "../src/protocols/openai-chat/internal/encode.ts";
import { request, toolRound } from "./support/requests.ts";

const dialect: Dialect = { outputLimit: "max_tokens", replaysReasoning: true, limits: protocolLimits };

const encoded = (changes: Partial<ModelRequest>, encoder = makeEncoder(dialect)) => {
  const body = encoder.encode(request(changes));
  if (Result.isFailure(body)) throw new Error(body.failure.detail);
  return JSON.parse(new TextDecoder().decode(body.success)) as { readonly [field: string]: unknown };
};

const refusal = (messages: ReadonlyArray<Message>): string => {
  const body = makeEncoder(dialect).encode(request({ messages }));
  return Result.isFailure(body) ? body.failure.detail : "";
};

describe("a Chat Completions request", () => {
  it("has the messages, the model and only the parameters that are set", () => {
    assert.deepStrictEqual(encoded({}), {
      messages: [{ role: "user", content: "Write." }],
      model: "tiny",
      stream: true,
      stream_options: { include_usage: true },
    });
    const parameters = { temperature: 0.5, topP: 0.9, maxOutputTokens: 100, stop: ["\n"] };
    assert.deepStrictEqual(encoded({ stream: false, parameters }), {
      messages: [{ role: "user", content: "Write." }],
      model: "tiny",
      stream: false,
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 100,
      stop: ["\n"],
    });
  });

  it("names the output limit as its dialect does", () => {
    const encoder = makeEncoder({ ...dialect, outputLimit: "max_completion_tokens" });
    assert.strictEqual(encoded({ parameters: { maxOutputTokens: 9 } }, encoder)["max_completion_tokens"], 9);
  });

  it("has the tools unchanged and the choice among them", () => {
    const inputSchema = { type: "object", properties: { title: { type: "string" } }, additionalProperties: false };
    const tools = [{ name: "read", description: "Reads.", inputSchema }];
    const specific = encoded({ tools, toolChoice: { specific: "read" } });
    assert.deepStrictEqual(specific["tools"], [
      { type: "function", function: { name: "read", description: "Reads.", parameters: inputSchema } },
    ]);
    assert.deepStrictEqual(specific["tool_choice"], { type: "function", function: { name: "read" } });
    assert.strictEqual(encoded({ tools, toolChoice: "required" })["tool_choice"], "required");
    assert.notProperty(encoded({ toolChoice: "required" }), "tool_choice");
  });

  it("keeps every character of a text", () => {
    const text = 'NUL \u0000 quote " slash \\ lone \uD800 line \u2028 smile 🙂 tab \t';
    const { messages } = encoded({ messages: [Messages.text("user", text, "Ann")] });
    assert.deepStrictEqual(messages, [{ role: "user", content: text, name: "Ann" }]);
  });

  it("sends media as parts of the content", () => {
    const message: Message = {
      role: "user",
      parts: [
        { type: "text", text: "Look" },
        { type: "media", mimeType: "image/png", value: "data:image/png;base64,AA==" },
        { type: "media", mimeType: "audio/mpeg", value: "data:audio/mpeg;base64,BB==" },
        { type: "resourceRef", uri: "workspace:a.md" },
      ],
    };
    assert.deepStrictEqual(encodeMessage(message, dialect), [
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
          { type: "input_audio", input_audio: { data: "BB==", format: "mp3" } },
          { type: "text", text: "workspace:a.md" },
        ],
      },
    ]);
  });
});

describe("media in a Chat Completions request", () => {
  const media = (mimeType: string) => ({ type: "media" as const, mimeType, value: `data:${mimeType};base64,AA==` });

  it("that is sound is sent as such, and a PDF as a file with a name", () => {
    const parts = [media("audio/x-wav"), media("application/pdf")];
    assert.deepStrictEqual(encodeMessage({ role: "user", parts }, dialect)[0]?.content, [
      { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
      { type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,AA==" } },
    ]);
  });

  it("of anybody but the user is not sent, and said to be missing", () => {
    const parts = [{ type: "text" as const, text: "Look" }, media("image/png")];
    const encoder = makeEncoder(dialect);
    const { messages } = encoded({ messages: [{ role: "assistant", parts }] }, encoder);
    assert.deepStrictEqual(messages, [{ role: "assistant", content: "Look" }]);
    assert.deepStrictEqual(encoder.takeWarnings(), [
      "An attachment of the role assistant was not sent: the protocol has no place for it.",
    ]);
  });
});

describe("a tool round", () => {
  it("is sent as calls with ids, and results that answer them; empty content is null", () => {
    const { messages } = encoded({ messages: [Messages.text("user", "Go"), ...toolRound("call_1", "text of a")] });
    assert.deepStrictEqual(messages, [
      { role: "user", content: "Go" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"a.md"}' } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "text of a" },
    ]);
  });

  it("marks an error in the text, once", () => {
    const contentOf = (result: string) => encodeMessage(toolRound("c", result, true)[1], dialect)[0]?.content;
    assert.strictEqual(contentOf("no such file"), "Error: no such file");
    assert.strictEqual(contentOf("Error: no such file"), "Error: no such file");
  });

  it("sends reasoning back, trimmed and joined by a blank line, unless the dialect has none", () => {
    const message: Message = {
      role: "assistant",
      parts: [
        { type: "reasoning", text: " first \n" },
        { type: "reasoning", text: "  " },
        { type: "reasoning", text: "second" },
        { type: "text", text: "Hello" },
        { type: "native", format: "anthropic-messages", source: "anthropic", model: "m", json: "{}" },
      ],
    };
    assert.deepStrictEqual(encodeMessage(message, dialect), [
      { role: "assistant", content: "Hello", reasoning_content: "first\n\nsecond" },
    ]);
    assert.deepStrictEqual(encodeMessage(message, { ...dialect, replaysReasoning: false }), [
      { role: "assistant", content: "Hello" },
    ]);
  });

  it("replays unusable arguments as an empty object", () => {
    const [calling] = toolRound("c", "");
    const parts = calling.parts.map((part) => (part.type === "toolCall" ? { ...part, arguments: '{"a":' } : part));
    const [wire] = encodeMessage({ ...calling, parts }, dialect);
    assert.deepNestedInclude(wire, { "tool_calls[0].function.arguments": "{}" });
  });

  it("that does not pair calls and results is refused before it is sent", () => {
    const [calling, result] = toolRound("c", "x");
    const user = Messages.text("user", "Go");
    assert.include(refusal([user, calling]), "no result");
    assert.include(refusal([user, calling, user, result]), "no result before the next message");
    assert.include(refusal([user, result]), "not open");
    assert.include(refusal([user, calling, result, result]), "not open");
    assert.include(refusal([user, { ...calling, parts: [...calling.parts, ...calling.parts] }, result]), "have the id");
    assert.include(refusal([user, { role: "tool", parts: [] }]), "no result");
    assert.strictEqual(refusal([user, calling, result, calling, result]), "");
  });
});

describe("the body of a session", () => {
  const history = Array.from({ length: 40 }, (_, index) => [
    Messages.text("user", `Satz ${index} – ${"ü🙂".repeat(index * 20)}`),
    ...toolRound(`call_${index}`, `result ${index}`),
  ]).flat();
  const ends = history.flatMap((message, index) => (message.role === "assistant" ? [] : [index + 1]));

  it("grown message by message is byte for byte the body encoded at once", () => {
    const growing = makeEncoder(dialect);
    for (const end of ends) {
      const messages = history.slice(0, end);
      const grown = growing.encode(request({ messages }));
      assert.deepStrictEqual(grown, makeEncoder(dialect).encode(request({ messages })));
    }
  });

  it("serialises a message once: what a message object says later does not change what was sent", () => {
    const parts = [{ type: "text" as const, text: "before" }];
    const first: Message = { role: "user", parts };
    const encoder = makeEncoder(dialect);
    encoded({ messages: [first] }, encoder);
    parts[0] = { type: "text", text: "after" };
    const { messages } = encoded({ messages: [first, Messages.text("user", "new")] }, encoder);
    assert.deepStrictEqual(messages, [
      { role: "user", content: "before" },
      { role: "user", content: "new" },
    ]);
  });

  it("of another or a shorter history is encoded from the start", () => {
    const encoder = makeEncoder(dialect);
    encoded({ messages: [Messages.text("user", "a"), Messages.text("user", "b")] }, encoder);
    const { messages } = encoded({ messages: [Messages.text("user", "c")] }, encoder);
    assert.deepStrictEqual(messages, [{ role: "user", content: "c" }]);
  });

  it("takes the parameters and tools of each request", () => {
    const encoder = makeEncoder(dialect);
    const messages = [Messages.text("user", "a")];
    assert.notProperty(encoded({ messages }, encoder), "tools");
    const tools = [{ name: "t", description: "", inputSchema: {} }];
    assert.property(encoded({ messages, tools, parameters: { temperature: 1 } }, encoder), "tools");
    assert.notProperty(encoded({ messages, stream: false }, encoder), "stream_options");
  });
});
