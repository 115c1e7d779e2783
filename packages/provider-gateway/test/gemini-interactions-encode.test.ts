import { CallId } from "@cahier/domain/identity/Identity";
import type { Message, Part } from "@cahier/domain/model/Message";
import * as Messages from "@cahier/domain/model/Message";
import { assert, describe, it } from "@effect/vitest";
import { encoding, inFormat, protocolOf } from "./support/decode.ts";
import { toolRound } from "./support/requests.ts";

const format = "gemini-interactions";
const { body, losses, refusal, text } = encoding(format);
const user = Messages.text("user", "Go");
const native = (json: string): Part => ({ type: "native", format, source: "gemini", model: "m", json });
const said = (type: string, value: string) => ({ type, content: [{ type: "text", text: value }] });

describe("an Interactions request", () => {
  it("stores nothing at the server, has one instruction, and only the parameters that are set", () => {
    const messages = [
      Messages.text("system", "Be kind."),
      Messages.text("developer", "Be short."),
      user,
      Messages.text("assistant", "Yes."),
      Messages.text("user", "And?", "Ann"),
    ];
    assert.deepStrictEqual(body({ messages }), {
      system_instruction: "Be kind.\n\nBe short.",
      input: [said("user_input", "Go"), said("model_output", "Yes."), said("user_input", "Ann: And?")],
      model: "tiny",
      stream: true,
      store: false,
    });
    assert.deepStrictEqual(body({ messages: [] })["input"], [said("user_input", "\u200B")]);
    const parameters = { temperature: 0.5, topP: 0.9, maxOutputTokens: 100, stop: ["END"] };
    assert.deepStrictEqual(body({ parameters })["generation_config"], {
      temperature: 0.5,
      max_output_tokens: 100,
      stop_sequences: ["END"],
    });
  });

  it("goes to its path, as events when it is streamed", () => {
    const { path } = protocolOf(format);
    assert.strictEqual(path(inFormat(format)), "/interactions?alt=sse");
    assert.strictEqual(path(inFormat(format, { stream: false })), "/interactions");
  });

  it("has the tools in Google's terms and the choice in the protocol's words", () => {
    const properties = { path: { type: "string", minLength: 1 } };
    const tools = [
      { name: "read", description: "Reads.", inputSchema: { type: "object", properties, additionalProperties: false } },
      { name: "list", description: "Lists.", inputSchema: {} },
    ];
    assert.deepStrictEqual(body({ tools })["tools"], [
      { type: "function", name: "read", description: "Reads.", parameters: { type: "object", properties } },
      { type: "function", name: "list", description: "Lists." },
    ]);
    assert.deepStrictEqual(losses({ tools }), [
      "The schema of the tool read was not sent as it is: additionalProperties is left out (at /).",
    ]);
    const choice = (toolChoice: Parameters<typeof body>[0]["toolChoice"] & {}) =>
      body({ tools, toolChoice })["generation_config"];
    assert.deepStrictEqual(choice("auto"), { tool_choice: "auto" });
    assert.deepStrictEqual(choice("required"), { tool_choice: "any" });
    assert.deepStrictEqual(choice("none"), { tool_choice: "none" });
    assert.deepStrictEqual(choice({ specific: "read" }), {
      tool_choice: { allowed_tools: { mode: "any", tools: ["read"] } },
    });
  });

  it("shows media as data or by their address", () => {
    const parts: ReadonlyArray<Part> = [
      { type: "media", mimeType: "image/png", value: "data:image/png;base64,AA==" },
      { type: "media", mimeType: "application/pdf", value: "https://x.test/a.pdf" },
      { type: "resourceRef", uri: "workspace:a.md" },
    ];
    assert.deepStrictEqual(body({ messages: [{ role: "user", parts }] })["input"], [
      {
        type: "user_input",
        content: [
          { type: "image", mime_type: "image/png", data: "AA==" },
          { type: "document", mime_type: "application/pdf", uri: "https://x.test/a.pdf" },
          { type: "text", text: "workspace:a.md" },
        ],
      },
    ]);
  });
});

describe("a tool round in Interactions", () => {
  it("of another format is calls and results", () => {
    const messages = [user, ...toolRound("opaque id/1", "no such file", true)];
    assert.deepStrictEqual(body({ messages })["input"], [
      said("user_input", "Go"),
      { type: "function_call", id: "opaque id/1", name: "read", arguments: { path: "a.md" } },
      { type: "function_result", call_id: "opaque id/1", name: "read", result: "no such file", is_error: true },
    ]);
  });

  it("that came in this format goes back as its steps, byte for byte, and by nothing else", () => {
    const steps = [
      '{"type":"thought", "signature":"QUJD\\u003d","n":1.0}',
      '{"type":"function_call","id":"fc_1","name":"read","arguments":{"big":12345678901234567890}}',
    ];
    const call: Part = { type: "toolCall", callId: CallId.make("fc_1"), name: "read", arguments: "{}" };
    const answer: Message = {
      role: "assistant",
      parts: [{ type: "text", text: "never sent" }, ...steps.map(native), call],
    };
    const [, result] = toolRound("fc_1", "done");
    const sent = text({ messages: [user, answer, result] });
    assert.include(
      sent,
      `,${steps.join(",")},{"type":"function_result","call_id":"fc_1","name":"read","result":"done"}]`,
    );
    assert.notInclude(sent, "never sent");
  });

  it("whose call has lost its step is refused", () => {
    const [calling, result] = toolRound("t", "x");
    const answer = { ...calling, parts: [native('{"type":"thought"}'), ...calling.parts] };
    assert.include(refusal({ messages: [user, answer, result] }), "native metadata");
  });
});
