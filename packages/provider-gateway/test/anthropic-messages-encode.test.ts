import { CallId } from "@cahier/domain/identity/Identity";
import type { Message, Part } from "@cahier/domain/model/Message";
import * as Messages from "@cahier/domain/model/Message";
import { assert, describe, it } from "@effect/vitest";
import * as AnthropicMessages from "../src/protocols/anthropic-messages/AnthropicMessages.ts";
import { encoding, inFormat, protocolOf } from "./support/decode.ts";
import { toolRound } from "./support/requests.ts";

const { body, losses, refusal, text } = encoding("anthropic-messages");
const user = Messages.text("user", "Go");
const blank = { type: "text", text: "\u200B" };
const native = (json: string, format = "anthropic-messages"): Part => ({
  type: "native",
  format,
  source: "anthropic",
  model: "m",
  json,
});
const say = (value: string) => ({ type: "text", text: value });

describe("a Messages request", () => {
  it("has the leading instructions apart, and only the parameters that are set beside a limit", () => {
    const messages = [Messages.text("system", "Be kind."), Messages.text("developer", "Be short."), user];
    assert.deepStrictEqual(body({ messages }), {
      system: [say("Be kind."), say("Be short.")],
      messages: [{ role: "user", content: [say("Go")] }],
      model: "tiny",
      max_tokens: 32000,
      stream: true,
    });
    const parameters = { temperature: 0.5, maxOutputTokens: 100, stop: ["END", " \n"] };
    assert.deepInclude(body({ parameters, stream: false }), {
      temperature: 0.5,
      max_tokens: 100,
      stop_sequences: ["END"],
      stream: false,
    });
    assert.include(losses({ parameters })[0] ?? "", "Blank stop sequences");
  });

  it("has an output limit that its model takes", () => {
    const limitOf = (modelId: string, stream = true) => {
      const asked = inFormat("anthropic-messages", { stream });
      return body({ stream, binding: { ...asked.binding, modelId } })["max_tokens"];
    };
    assert.strictEqual(limitOf("claude-3-opus-20240229"), 4096);
    assert.strictEqual(limitOf("claude-3-5-sonnet-latest"), 8192);
    assert.strictEqual(limitOf("claude-sonnet-4-5"), 32000);
    assert.strictEqual(limitOf("claude-sonnet-4-5", false), 21333);
  });

  it("sends one of temperature and topP to newer models and says so", () => {
    const parameters = { temperature: 1.5, topP: 0.9 };
    assert.deepInclude(body({ parameters }), { temperature: 1 });
    assert.notProperty(body({ parameters }), "top_p");
    assert.strictEqual(losses({ parameters }).length, 2);
    const encoder = protocolOf("anthropic-messages").encoder();
    text({ parameters }, encoder);
    assert.strictEqual(encoder.takeWarnings().length, 2);
    text({ parameters }, encoder);
    assert.deepStrictEqual(encoder.takeWarnings(), []);
    const asked = inFormat("anthropic-messages");
    const binding = { ...asked.binding, modelId: "claude-3-haiku-20240307" };
    assert.deepInclude(body({ parameters: { temperature: 0.1, topP: 0.9 }, binding }), { top_p: 0.9 });
  });

  it("merges neighbours of one role, begins with the user and has no empty message", () => {
    const messages = [
      Messages.text("assistant", "Welcome."),
      user,
      Messages.text("system", "It rains."),
      Messages.text("user", " ", "Ann"),
      Messages.text("user", "Hello", "Ann"),
      Messages.text("assistant", ""),
    ];
    assert.deepStrictEqual(body({ messages })["messages"], [
      { role: "user", content: [blank] },
      { role: "assistant", content: [say("Welcome.")] },
      { role: "user", content: [say("Go"), say("It rains."), blank, say("Ann: Hello")] },
      { role: "assistant", content: [blank] },
    ]);
    assert.deepStrictEqual(body({ messages: [Messages.text("system", "Only this.")] })["messages"], [
      { role: "user", content: [blank] },
    ]);
  });

  it("has the tools without the schemas' own names, and the choice in the protocol's words", () => {
    const inputSchema = {
      $schema: "x",
      type: "object",
      properties: { $id: { type: "string", $id: "y" }, title: { type: "string", enum: [{ $id: 1 }] } },
    };
    const tools = [
      { name: "read", description: "Reads.", inputSchema },
      { name: "roll", description: "", inputSchema: {} },
    ];
    assert.deepStrictEqual(body({ tools })["tools"], [
      {
        name: "read",
        description: "Reads.",
        input_schema: {
          type: "object",
          properties: { $id: { type: "string" }, title: { type: "string", enum: [{ $id: 1 }] } },
        },
      },
      { name: "roll", description: "", input_schema: { type: "object" } },
    ]);
    const either = { anyOf: [{ required: ["a"] }], properties: { a: { anyOf: [{ type: "string" }] } } };
    const open = [{ name: "either", description: "", inputSchema: either }];
    const [sent] = body({ tools: open })["tools"] as ReadonlyArray<{ readonly input_schema: object }>;
    assert.deepStrictEqual(sent?.input_schema, { type: "object", properties: either.properties });
    assert.deepStrictEqual(losses({ tools: open }), [
      "The schema of the tool either was not sent as it is: anyOf is left out (at /).",
    ]);
    const choice = (toolChoice: Parameters<typeof body>[0]["toolChoice"] & {}) =>
      body({ tools, toolChoice })["tool_choice"];
    assert.deepStrictEqual(choice("auto"), { type: "auto" });
    assert.deepStrictEqual(choice("required"), { type: "any" });
    assert.deepStrictEqual(choice("none"), { type: "none" });
    assert.deepStrictEqual(choice({ specific: "read" }), { type: "tool", name: "read" });
    assert.notProperty(body({ toolChoice: "required" }), "tool_choice");
  });

  it("shows media to the model, those of the model with the next user's words", () => {
    const picture: Part = { type: "media", mimeType: "image/png", value: "data:image/png;base64,AA==" };
    const messages: ReadonlyArray<Message> = [
      { role: "user", parts: [{ type: "media", mimeType: "image/jpeg", value: "https://x.test/a.jpg" }] },
      { role: "assistant", parts: [{ type: "text", text: "Look" }, picture] },
      {
        role: "user",
        parts: [{ type: "media", mimeType: "application/pdf", value: "data:application/pdf;base64,BB==" }],
      },
    ];
    const shown = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } };
    const expected = [
      { role: "user", content: [{ type: "image", source: { type: "url", url: "https://x.test/a.jpg" } }] },
      { role: "assistant", content: [say("Look")] },
      {
        role: "user",
        content: [{ type: "document", source: { type: "base64", media_type: "application/pdf", data: "BB==" } }, shown],
      },
    ];
    assert.deepStrictEqual(body({ messages })["messages"], expected);
    const longer = [...messages, Messages.text("assistant", "Nice.")];
    assert.deepStrictEqual(body({ messages: longer })["messages"], [
      ...expected,
      { role: "assistant", content: [say("Nice.")] },
    ]);
    const sound: Message = { role: "user", parts: [{ type: "media", mimeType: "audio/wav", value: "data:,x" }] };
    assert.include(losses({ messages: [sound] })[0] ?? "", "audio/wav");
  });

  it("for Vertex has the version in the body and the model in the path", () => {
    const vertex = AnthropicMessages.make({ host: "vertex" });
    const asked = inFormat("anthropic-messages");
    const sent = body({}, vertex.encoder());
    assert.strictEqual(sent["anthropic_version"], "vertex-2023-10-16");
    assert.notProperty(sent, "model");
    assert.strictEqual(vertex.path(asked), "/models/tiny:streamRawPredict");
    assert.strictEqual(protocolOf("anthropic-messages").path(asked), "/messages");
  });
});

describe("a tool round in Messages", () => {
  it("is calls with their arguments as they stand, and results as blocks before the next words", () => {
    const id = CallId.make("call_1");
    const calling: Message = {
      role: "assistant",
      parts: [{ type: "toolCall", callId: id, name: "read", arguments: '{ "n": 1.0 }' }],
    };
    const result: Message = {
      role: "tool",
      parts: [{ type: "toolResult", callId: id, name: "read", content: "no such file", isError: true }],
    };
    const messages = [user, calling, result, user];
    assert.include(text({ messages }), '"input":{ "n": 1.0 }}');
    assert.deepStrictEqual(body({ messages })["messages"], [
      { role: "user", content: [say("Go")] },
      { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "read", input: { n: 1 } }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "call_1", content: "no such file", is_error: true }, say("Go")],
      },
    ]);
  });

  it("of another format gets ids that the protocol takes, the same for call and result", () => {
    const sent = text({ messages: [user, ...toolRound("functions.read:0 ü", "x")] });
    const ids = [...sent.matchAll(/"(?:id|tool_use_id)":"([^"]*)"/g)].map((match) => match[1]);
    assert.strictEqual(ids.length, 2);
    assert.strictEqual(ids[0], ids[1]);
    assert.match(ids[0] ?? "", /^call_[0-9a-f]{32}$/);
  });

  it("that came in this format goes back as its blocks, byte for byte, and by nothing else", () => {
    const thinking = '{"thinking":"Hm", "type":"thinking","signature":"c2ln\\u003d","n":1.0}';
    const call = '{"type":"tool_use","id":"opaque/1","name":"read","input":{"big":12345678901234567890}}';
    const answer: Message = {
      role: "assistant",
      parts: [
        { type: "text", text: "never sent" },
        { type: "reasoning", text: "nor this" },
        native(thinking),
        native('{"type":"text","text":"\\n"}'),
        native(call),
        { type: "toolCall", callId: CallId.make("opaque/1"), name: "read", arguments: "{}" },
      ],
    };
    const [, result] = toolRound("opaque/1", "");
    const sent = text({ messages: [user, answer, result] });
    assert.include(sent, `{"role":"assistant","content":[${thinking},${call}]}`);
    assert.include(sent, '{"type":"tool_result","tool_use_id":"opaque/1"}');
    assert.notInclude(sent, "never sent");
    assert.deepStrictEqual(losses({ messages: [user, answer, result] }), []);
  });

  it("whose call has lost its block is refused", () => {
    const [calling, result] = toolRound("t", "x");
    const answer = { ...calling, parts: [native('{"type":"text","text":"a"}'), ...calling.parts] };
    assert.include(refusal({ messages: [user, answer, result] }), "native metadata");
  });

  it("of another format leaves its native items and its reasoning behind and says so", () => {
    const answer: Message = {
      role: "assistant",
      parts: [
        { type: "text", text: "Hello" },
        { type: "reasoning", text: "Hm" },
        native("{}", "openai-responses"),
        native("{}", "openai-responses"),
      ],
    };
    assert.deepStrictEqual(body({ messages: [user, answer] })["messages"], [
      { role: "user", content: [say("Go")] },
      { role: "assistant", content: [say("Hello")] },
    ]);
    assert.deepStrictEqual(losses({ messages: [user, answer] }), [
      "The model's earlier reasoning stays with openai-responses and was not sent to anthropic-messages.",
    ]);
  });
});

describe("the Messages body of a session", () => {
  it("grown message by message is byte for byte the body encoded at once", () => {
    const history = Array.from({ length: 12 }, (_, index) => [
      Messages.text("user", `Satz ${index} – ${"ü🙂".repeat(index * 20)}`),
      ...toolRound(`call_${index}`, `result ${index}`),
      Messages.text("assistant", index % 3 === 0 ? "" : `Antwort ${index}`),
    ]).flat();
    const growing = protocolOf("anthropic-messages").encoder();
    for (const [index, message] of history.entries()) {
      if (message.role === "assistant" && Messages.toolCallsOf(message).length > 0) continue;
      const messages = history.slice(0, index + 1);
      assert.strictEqual(text({ messages }, growing), text({ messages }));
    }
  });
});
