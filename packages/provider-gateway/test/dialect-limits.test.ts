/**
 * What Chat Completions forbid or a source does not take, for every source that speaks them.
 */
import { CallId } from "@cahier/domain/identity/Identity";
import * as Messages from "@cahier/domain/model/Message";
import type { Message } from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Gateway from "../src/Gateway.ts";
import { sources } from "../src/providers/sources.ts";
import * as gateways from "./support/gateways.ts";
import { chunk, collector, request, toolRound } from "./support/requests.ts";

const speakers = sources.flatMap(({ protocols, source }) => {
  const protocol = protocols.find(({ format }) => format === "openai-chat");
  return protocol === undefined ? [] : [{ source, protocol }];
});

const allSources = speakers.map(({ source }) => source);
const shortIds = ["openai", "openrouter", "custom", "nanogpt"];
const textOnly = ["deepseek", "ollama"];
const withFiles = allSources.filter((source) => !textOnly.includes(source));

const protocolOf = (source: string) => {
  const found = speakers.find((speaker) => speaker.source === source);
  if (found === undefined) throw new Error(`${source} does not speak openai-chat`);
  return found.protocol;
};

const encode = (source: string, changes: Partial<ModelRequest>) => {
  const encoder = protocolOf(source).encoder();
  const body = encoder.encode(request(changes));
  return { body, warnings: encoder.takeWarnings() };
};

interface Body {
  readonly messages: ReadonlyArray<{
    readonly [name: string]: unknown;
    readonly tool_calls?: ReadonlyArray<{ readonly id: string; readonly function: { readonly name: string } }>;
  }>;
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string } }>;
  readonly tool_choice?: unknown;
}

const bodyOf = (source: string, changes: Partial<ModelRequest>): Body => {
  const { body } = encode(source, changes);
  if (Result.isFailure(body)) throw new Error(body.failure.detail);
  return JSON.parse(new TextDecoder().decode(body.success)) as Body;
};

const showing = (mimeType: string, value: string): ReadonlyArray<Message> => [
  Messages.text("user", "Look"),
  {
    role: "user",
    parts: [
      { type: "media", mimeType: "image/png", value: "data:image/png;base64,AA==" },
      { type: "media", mimeType, value },
    ],
  },
];

const shown = (source: string, mimeType: string, value: string): unknown => {
  const content = bodyOf(source, { messages: showing(mimeType, value) }).messages[1]?.["content"];
  return Array.isArray(content) ? content[1] : content;
};

const refusal = (source: string, mimeType: string, value: string): unknown => {
  const { body } = encode(source, { messages: showing(mimeType, value) });
  return Result.isFailure(body) ? body.failure : "it was not refused";
};

const refused = (detail: string) => ({ _tag: "attachment", detail: `message 1: attachment 2 ${detail}` });

describe.each(allSources)("a name that Chat Completions of %s do not take", (source) => {
  it("is sent with other characters, the same each time, and the change is said", () => {
    const nameOf = (name: string) =>
      bodyOf(source, { messages: [Messages.text("user", "Hi", name)] }).messages[0]?.["name"];
    assert.strictEqual(nameOf("Ann_1-b"), "Ann_1-b");
    assert.strictEqual(nameOf("Mary Ann O'Neil 🙂"), "Mary_Ann_O_Neil__");
    assert.strictEqual(nameOf("n".repeat(65)), "n".repeat(64));
    assert.isUndefined(nameOf(""));
    assert.match(String(nameOf("小明")), /^name_[0-9a-f]{8}$/);
    assert.strictEqual(nameOf("小明"), nameOf("小明"));
    assert.notStrictEqual(nameOf("小明"), nameOf("小红"));
    const [answer] = bodyOf(source, { messages: [Messages.text("assistant", "Hi", "Mary Ann")] }).messages;
    assert.strictEqual(answer?.["name"], "Mary_Ann");
    const { warnings } = encode(source, { messages: [Messages.text("user", "Hi", "Mary Ann")] });
    assert.include(warnings, 'The name "Mary Ann" was sent as "Mary_Ann": the protocol takes no other characters.');
  });

  it("is, of a tool, the same in the list, the choice and the history, and its own again in the answer", () => {
    const name = "read file!";
    const tools = [
      { name, description: "", inputSchema: {} },
      { name: "read file?", description: "", inputSchema: {} },
      { name: "write", description: "", inputSchema: {} },
    ];
    const [calling, result] = toolRound("c", "text");
    const parts = calling.parts.map((part) => (part.type === "toolCall" ? { ...part, name } : part));
    const messages = [Messages.text("user", "Go"), { ...calling, parts }, result];
    const asked = request({ messages, tools, toolChoice: { specific: name } });
    const body = bodyOf(source, asked);
    const sent = body.tools?.map((tool) => tool.function.name) ?? [];
    assert.match(sent[0] ?? "", /^read_file__[0-9a-f]{8}$/);
    assert.strictEqual(new Set(sent).size, 3);
    assert.strictEqual(sent[2], "write");
    assert.deepNestedInclude(body, { "tool_choice.function.name": sent[0] });
    assert.strictEqual(body.messages[1]?.tool_calls?.[0]?.function.name, sent[0]);

    const seen = collector();
    const decoder = protocolOf(source).decoder(asked, seen.onDelta);
    const called = sent.map((onWire, index) => ({
      index,
      id: `n${index}`,
      function: { name: onWire, arguments: "{}" },
    }));
    decoder.event(JSON.stringify(chunk({ tool_calls: called })), "message");
    const partial = decoder.partial();
    decoder.event(JSON.stringify(chunk({}, "tool_calls")), "message");
    const names = tools.map((tool) => tool.name);
    const response = Result.getOrThrow(decoder.end());
    assert.deepStrictEqual(
      Messages.toolCallsOf(response.message).map((call) => call.name),
      names,
    );
    assert.deepStrictEqual(partial && Messages.toolCallsOf(partial.message).map((call) => call.name), names);
    const started = seen.deltas.flatMap((delta) => (delta.type === "toolCallStart" ? [delta.name] : []));
    assert.deepStrictEqual(started, names);
  });
});

describe("the id of a call", () => {
  const long = `call_${"x".repeat(60)}`;
  const idsOf = (source: string, id: string) => {
    const { messages } = bodyOf(source, { messages: [Messages.text("user", "Go"), ...toolRound(id, "text")] });
    return [messages[1]?.tool_calls?.[0]?.id, messages[2]?.["tool_call_id"]];
  };

  it.each(shortIds)("that is longer than %s takes is another, the same in the call and its result", (source) => {
    const [call, result] = idsOf(source, long);
    assert.match(String(call), /^call_[0-9a-f]{32}$/);
    assert.strictEqual(result, call);
    assert.deepStrictEqual(idsOf(source, long), [call, result]);
    assert.notStrictEqual(idsOf(source, `${long}y`)[0], call);
    assert.deepStrictEqual(idsOf(source, "i".repeat(40)), ["i".repeat(40), "i".repeat(40)]);
    const [calling] = toolRound(long, "text");
    assert.strictEqual(Messages.toolCallsOf(calling)[0]?.callId, CallId.make(long), "the message keeps its own");
  });

  it.each(allSources.filter((source) => !shortIds.includes(source)))("stays for %s as it came", (source) => {
    assert.deepStrictEqual(idsOf(source, long), [long, long]);
  });
});

const pdf = "application/pdf";
const data = (mimeType: string) => `data:${mimeType};base64,AA==`;
const address = "https://files.test/a?key=s3cret";

describe("an attachment", () => {
  it.each(withFiles)("that is a PDF is a file with a name for %s", (source) => {
    assert.deepStrictEqual(shown(source, pdf, data(pdf)), {
      type: "file",
      file: { filename: "document.pdf", file_data: data(pdf) },
    });
    assert.deepStrictEqual(shown(source, "application/octet-stream", data(pdf)), shown(source, pdf, data(pdf)));
  });

  it.each(textOnly)("that is a file is refused for %s", (source) => {
    assert.deepStrictEqual(
      refusal(source, pdf, data(pdf)),
      refused(`(${pdf}) is of a type that the server does not take`),
    );
  });

  it.each(allSources)("of a type that %s does not take is refused", (source) => {
    for (const type of ["video/mp4", "audio/ogg", "text/plain", "application/zip"])
      assert.deepStrictEqual(
        refusal(source, type, data(type)),
        refused(`(${type}) is of a type that the server does not take`),
      );
  });

  it.each(allSources)("that is an image goes to %s as an image, be it an address or not", (source) => {
    for (const url of [data("image/webp"), address])
      assert.deepStrictEqual(shown(source, "image/webp", url), { type: "image_url", image_url: { url } });
  });

  it.each(withFiles)("that is only an address is refused for %s, without telling the address", (source) => {
    const types = ["audio/mpeg", "video/mp4", ...(source === "openrouter" ? [] : [pdf])];
    for (const type of types) {
      const expected = refused(`(${type}) is only an address, which the server does not read`);
      assert.deepStrictEqual(refusal(source, type, address), expected);
    }
  });

  it("that is the address of a PDF is a file for openrouter, which reads it", () => {
    const file = { filename: "document.pdf", file_data: address };
    assert.deepStrictEqual(shown("openrouter", pdf, address), { type: "file", file });
  });

  it.each(textOnly)("that is only an address is text for %s", (source) => {
    for (const type of ["audio/mpeg", "video/mp4", pdf])
      assert.deepStrictEqual(shown(source, type, address), { type: "text", text: address });
  });

  it.effect("that cannot be sent is a fault of the call that names it, and nothing is sent", () =>
    Effect.gen(function* () {
      const gateway = yield* ModelGateway;
      const asked = request({ messages: showing("video/mp4", data("video/mp4")) });
      const fault = yield* Effect.flip(gateway.generate(asked, () => undefined));
      assert.deepStrictEqual(fault.reason, { _tag: "NotConfigured", what: "format" });
      assert.strictEqual(
        fault.detail,
        "not sent: message 1: attachment 2 (video/mp4) is of a type that the server does not take",
      );
    }).pipe(Effect.provide(Gateway.layer()), Effect.provide([gateways.secrets({}), gateways.noTransport])),
  );
});
