import { CallId } from "@cahier/domain/identity/Identity";
import type { Message, Part } from "@cahier/domain/model/Message";
import * as Messages from "@cahier/domain/model/Message";
import { assert, describe, it } from "@effect/vitest";
import { encoding, inFormat, protocolOf } from "./support/decode.ts";
import { toolRound } from "./support/requests.ts";

const format = "gemini-generate-content";
const { body, losses, refusal, text } = encoding(format);
const user = Messages.text("user", "Go");
const native = (json: string): Part => ({ type: "native", format, source: "gemini", model: "m", json });
const bindingOf = (modelId: string) => ({ ...inFormat(format).binding, modelId });
const tools = [
  { name: "read", description: "Reads.", inputSchema: { type: "object", properties: { path: { type: "string" } } } },
  { name: "list", description: "Lists.", inputSchema: { type: "object", properties: {} } },
];

describe("a generateContent request", () => {
  it("has the leading instructions apart, safety off, and only the parameters that are set", () => {
    const messages = [Messages.text("system", "Be kind."), user];
    const { safetySettings, ...rest } = body({ messages });
    assert.deepStrictEqual(rest, {
      systemInstruction: { parts: [{ text: "Be kind." }] },
      contents: [{ role: "user", parts: [{ text: "Go" }] }],
    });
    assert.isTrue(
      (safetySettings as ReadonlyArray<{ threshold: string }>).every(({ threshold }) => threshold === "OFF"),
    );
    const parameters = { temperature: 0.5, topP: 0.9, maxOutputTokens: 100, stop: ["END"] };
    assert.deepStrictEqual(body({ parameters })["generationConfig"], {
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 100,
      stopSequences: ["END"],
    });
  });

  it("names model and method in the path", () => {
    const { path } = protocolOf(format);
    assert.strictEqual(path(inFormat(format)), "/models/tiny:streamGenerateContent?alt=sse");
    const binding = bindingOf("models/gemini x");
    assert.strictEqual(path(inFormat(format, { stream: false, binding })), "/models/gemini%20x:generateContent");
  });

  it("has the tools in Google's terms and the choice in the protocol's words", () => {
    assert.deepStrictEqual(body({ tools })["tools"], [
      {
        functionDeclarations: [
          {
            name: "read",
            description: "Reads.",
            parameters: { type: "OBJECT", properties: { path: { type: "STRING" } } },
          },
          { name: "list", description: "Lists." },
        ],
      },
    ]);
    const choice = (toolChoice: Parameters<typeof body>[0]["toolChoice"] & {}) =>
      body({ tools, toolChoice })["toolConfig"];
    assert.deepStrictEqual(choice("auto"), { functionCallingConfig: { mode: "AUTO" } });
    assert.deepStrictEqual(choice("required"), { functionCallingConfig: { mode: "ANY" } });
    assert.deepStrictEqual(choice("none"), { functionCallingConfig: { mode: "NONE" } });
    assert.deepStrictEqual(choice({ specific: "read" }), {
      functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["read"] },
    });
    const open = [{ name: "any", description: "", inputSchema: { properties: { x: {} } } }];
    assert.deepStrictEqual(losses({ tools: open }), [
      "The schema of the tool any was not sent as it is: any value is offered as text (at /properties/x).",
    ]);
  });

  it("to a Gemma has neither instructions nor tools of their own", () => {
    const messages = [Messages.text("system", "Be kind."), user];
    const sent = body({ messages, tools, binding: bindingOf("gemma-3-27b-it") });
    assert.notProperty(sent, "systemInstruction");
    assert.notProperty(sent, "tools");
    assert.notProperty(sent, "toolConfig");
    assert.deepStrictEqual(sent["contents"], [{ role: "user", parts: [{ text: "Be kind." }, { text: "Go" }] }]);
    assert.include(losses({ tools, binding: bindingOf("gemma-3-27b-it") })[0] ?? "", "takes none");
  });

  it("shows media as data or by its address, and marks who speaks", () => {
    const message: Message = {
      role: "user",
      name: "Ann",
      parts: [
        { type: "text", text: "Look" },
        { type: "media", mimeType: "image/png", value: "data:image/png;base64,AA==" },
        { type: "media", mimeType: "video/mp4", value: "https://x.test/a.mp4" },
        { type: "resourceRef", uri: "workspace:a.md" },
      ],
    };
    assert.deepStrictEqual(body({ messages: [message] })["contents"], [
      {
        role: "user",
        parts: [
          { text: "Ann: Look" },
          { inlineData: { mimeType: "image/png", data: "AA==" } },
          { fileData: { mimeType: "video/mp4", fileUri: "https://x.test/a.mp4" } },
          { text: "workspace:a.md" },
        ],
      },
    ]);
  });
});

describe("a tool round in generateContent", () => {
  it("of another format is calls by name; a model that wants signatures is told to skip them", () => {
    const messages = [user, ...toolRound("c1", "text of a"), ...toolRound("c2", "no such file", true)];
    const call = { functionCall: { name: "read", args: { path: "a.md" } } };
    const answer = (response: object) => ({ role: "user", parts: [{ functionResponse: { name: "read", response } }] });
    assert.deepStrictEqual(body({ messages })["contents"], [
      { role: "user", parts: [{ text: "Go" }] },
      { role: "model", parts: [call] },
      answer({ output: "text of a" }),
      { role: "model", parts: [call] },
      answer({ error: "no such file" }),
    ]);
    const sent = text({ messages, binding: bindingOf("gemini-3-pro-preview") });
    assert.strictEqual(sent.split('"thoughtSignature":"skip_thought_signature_validator"').length, 3);
  });

  it("that came in this format goes back as its parts, byte for byte; only ids of the server are sent", () => {
    const thought = '{"text":"Hm", "thought":true,"n":1.0}';
    const calls = [
      '{"functionCall":{"name":"read","args":{"big":12345678901234567890}},"thoughtSignature":"QUJD\\u003d"}',
      '{"functionCall":{"name":"read","args":{},"id":"f2"}}',
    ];
    const made = (id: string): Part => ({ type: "toolCall", callId: CallId.make(id), name: "read", arguments: "{}" });
    const result = (id: string): Message => ({
      role: "tool",
      parts: [{ type: "toolResult", callId: CallId.make(id), name: "read", content: id, isError: false }],
    });
    const parts = [native(thought), ...calls.map(native), native('{"text":""}'), made("call_0_0"), made("f2")];
    const messages: ReadonlyArray<Message> = [user, { role: "assistant", parts }, result("call_0_0"), result("f2")];
    assert.include(text({ messages }), `{"role":"model","parts":[${[thought, ...calls].join(",")}]}`);
    assert.deepStrictEqual((body({ messages })["contents"] as ReadonlyArray<unknown>)[2], {
      role: "user",
      parts: [
        { functionResponse: { name: "read", response: { output: "call_0_0" } } },
        { functionResponse: { id: "f2", name: "read", response: { output: "f2" } } },
      ],
    });
  });

  it("whose call has lost its part is refused", () => {
    const [calling, result] = toolRound("t", "x");
    const answer = { ...calling, parts: [native('{"text":"a"}'), ...calling.parts] };
    assert.include(refusal({ messages: [user, answer, result] }), "native metadata");
  });
});
