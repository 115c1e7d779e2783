import { CallId } from "@cahier/domain/identity/Identity";
import type { Message, Part } from "@cahier/domain/model/Message";
import * as Messages from "@cahier/domain/model/Message";
import { assert, describe, it } from "@effect/vitest";
import { encoding, inFormat, protocolOf } from "./support/decode.ts";
import { toolRound } from "./support/requests.ts";

const format = "openai-responses";
const { body, losses, refusal, text } = encoding(format);
const user = Messages.text("user", "Go");
const native = (json: string): Part => ({ type: "native", format, source: "openai", model: "m", json });
const said = (role: string, value: string) => ({
  type: "message",
  role,
  content: role === "assistant" ? value : [{ type: "input_text", text: value }],
});

describe("a Responses request", () => {
  it("stores nothing at the server, asks for encrypted reasoning, and has only the parameters that are set", () => {
    const messages = [
      Messages.text("system", "Be kind."),
      user,
      Messages.text("assistant", "Yes."),
      Messages.text("user", "And?", "Ann"),
    ];
    assert.deepStrictEqual(body({ messages }), {
      input: [said("developer", "Be kind."), said("user", "Go"), said("assistant", "Yes."), said("user", "Ann: And?")],
      model: "tiny",
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
    });
    const parameters = { temperature: 0.5, topP: 0.9, maxOutputTokens: 100, stop: ["END"] };
    assert.deepInclude(body({ parameters }), { temperature: 0.5, top_p: 0.9, max_output_tokens: 100 });
    assert.deepStrictEqual(losses({ parameters }), [
      "The setting stop was not sent: the protocol has no place for it.",
    ]);
    const binding = { ...inFormat(format).binding, modelId: "gpt-5-mini" };
    assert.notProperty(body({ parameters, binding }), "temperature");
    assert.strictEqual(losses({ parameters: { temperature: 1 }, binding }).length, 1);
    const chat = { ...binding, modelId: "gpt-5-chat-latest" };
    assert.property(body({ parameters, binding: chat }), "temperature");
  });

  it("has the tools flat and not strict, and the choice among them", () => {
    const inputSchema = { type: "object", properties: { title: { type: "string" } }, additionalProperties: false };
    const tools = [{ name: "read", description: "Reads.", inputSchema }];
    assert.deepStrictEqual(body({ tools })["tools"], [
      { type: "function", name: "read", description: "Reads.", parameters: inputSchema, strict: false },
    ]);
    assert.strictEqual(body({ tools, toolChoice: "required" })["tool_choice"], "required");
    assert.deepStrictEqual(body({ tools, toolChoice: { specific: "read" } })["tool_choice"], {
      type: "function",
      name: "read",
    });
  });

  it("shows images and files, and says what it cannot show", () => {
    const parts: ReadonlyArray<Part> = [
      { type: "media", mimeType: "image/png", value: "data:image/png;base64,AA==" },
      { type: "media", mimeType: "application/pdf", value: "data:application/pdf;base64,BB==" },
      { type: "media", mimeType: "application/pdf", value: "https://x.test/a.pdf" },
      { type: "media", mimeType: "audio/wav", value: "data:audio/wav;base64,CC==" },
      { type: "resourceRef", uri: "workspace:a.md" },
    ];
    const messages: ReadonlyArray<Message> = [
      { role: "user", parts },
      { role: "assistant", parts: parts.slice(0, 1) },
    ];
    assert.deepStrictEqual(body({ messages })["input"], [
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "auto" },
          { type: "input_file", filename: "file.pdf", file_data: "data:application/pdf;base64,BB==" },
          { type: "input_file", file_url: "https://x.test/a.pdf" },
          { type: "input_text", text: "workspace:a.md" },
        ],
      },
    ]);
    assert.deepStrictEqual(losses({ messages }), [
      "An attachment of the type audio/wav was not sent: the protocol has no place for it.",
      "An attachment of the model was not sent: the protocol has no place for it.",
    ]);
  });
});

describe("a tool round in Responses", () => {
  it("of another format is calls and outputs with ids that the protocol takes", () => {
    const long = `call_${"x".repeat(70)}`;
    const messages = [user, ...toolRound("call_1", "text of a"), ...toolRound(long, "no such file", true)];
    const input = body({ messages })["input"] as ReadonlyArray<{ readonly call_id?: string }>;
    assert.deepStrictEqual(input.slice(1, 3), [
      { type: "function_call", call_id: "call_1", name: "read", arguments: '{"path":"a.md"}' },
      { type: "function_call_output", call_id: "call_1", output: "text of a" },
    ] as ReadonlyArray<object>);
    assert.isAtMost(input[3]?.call_id?.length ?? 99, 64);
    assert.deepStrictEqual<unknown>(input[4], {
      type: "function_call_output",
      call_id: input[3]?.call_id,
      output: "Error: no such file",
    });
  });

  it("that came in this format goes back as its items, byte for byte, and by nothing else", () => {
    const items = [
      '{"type":"reasoning", "id":"rs_1","summary":[],"encrypted_content":"gAAA\\/=="}',
      '{"type":"message","id":"m","content":[{"type":"output_text","text":"a","n":1.0}]}',
      `{"type":"function_call","call_id":"${"y".repeat(80)}","name":"read","arguments":"{}"}`,
    ];
    const id = "y".repeat(80);
    const call: Part = { type: "toolCall", callId: CallId.make(id), name: "read", arguments: "{}" };
    const answer: Message = {
      role: "assistant",
      parts: [
        { type: "text", text: "never sent" },
        { type: "reasoning", text: "nor this" },
        ...items.map(native),
        call,
      ],
    };
    const [, result] = toolRound(id, "done");
    const sent = text({ messages: [user, answer, result] });
    assert.include(sent, `,${items.join(",")},{"type":"function_call_output","call_id":"${id}","output":"done"}]`);
    assert.notInclude(sent, "never sent");
    assert.deepStrictEqual(losses({ messages: [user, answer, result] }), []);
  });

  it("whose call has lost its item is refused", () => {
    const [calling, result] = toolRound("t", "x");
    const answer = { ...calling, parts: [native('{"type":"message","content":[]}'), ...calling.parts] };
    assert.include(refusal({ messages: [user, answer, result] }), "native metadata");
  });
});

describe("the Responses body of a session", () => {
  it("grown message by message is byte for byte the body encoded at once", () => {
    const history = Array.from({ length: 12 }, (_, index) => [
      Messages.text("user", `Satz ${index} – ${"ü🙂".repeat(index * 20)}`),
      ...toolRound(`call_${index}`, `result ${index}`),
    ]).flat();
    const growing = protocolOf(format).encoder();
    for (const [index, message] of history.entries()) {
      if (message.role === "assistant") continue;
      const messages = history.slice(0, index + 1);
      assert.strictEqual(text({ messages }, growing), text({ messages }));
    }
  });
});
