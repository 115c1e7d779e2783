import type { Message } from "@cahier/domain/model/Message";
import * as Messages from "@cahier/domain/model/Message";
import type { ModelBinding, ModelRequest } from "@cahier/domain/model/ModelRequest";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { source as nanoGpt } from "../src/providers/NanoGpt.ts";
import { source as openRouter } from "../src/providers/OpenRouter.ts";
import type { Encoder, Protocol } from "../src/Route.ts";
import * as gateways from "./support/gateways.ts";
import { inFormat, protocolOf } from "./support/decode.ts";
import { toolRound } from "./support/requests.ts";
import * as servers from "./support/servers.ts";

const tools = [
  { name: "read", description: "Reads.", inputSchema: { type: "object" } },
  { name: "write", description: "Writes.", inputSchema: { type: "object" } },
];
const system = Messages.text("system", "Be kind.");
const user = Messages.text("user", "Go");
const round = toolRound("c1", "done");
const more = toolRound("c2", "more");

const chatOf = ({ protocols }: { readonly protocols: ReadonlyArray<Protocol> }): Protocol => {
  const [chat] = protocols;
  if (chat === undefined) throw new Error("the source has no protocol");
  return chat;
};

const encode = (
  protocol: Protocol,
  encoder: Encoder,
  binding: Partial<ModelBinding>,
  changes: Partial<ModelRequest>,
): string => {
  const asked = inFormat(protocol.format, changes);
  const encoded = encoder.encode({ ...asked, binding: { ...asked.binding, ...binding } });
  if (Result.isFailure(encoded)) throw new Error(encoded.failure.detail);
  return new TextDecoder().decode(encoded.success);
};

/** Every block of a body that is marked, in order, as `[path, ttl]`. */
const marksIn = (body: string): ReadonlyArray<readonly [string, unknown]> => {
  const found: Array<readonly [string, unknown]> = [];
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    if ("cache_control" in value) found.push([path, (value.cache_control as { ttl: unknown }).ttl]);
    for (const [name, inner] of Object.entries(value)) walk(inner, path === "" ? name : `${path}.${name}`);
  };
  walk(JSON.parse(body), "");
  return found.toSorted(([one], [other]) => one.localeCompare(other));
};

const unmarked = (body: string): string =>
  body.replaceAll(/,"cache_control":\{"type":"ephemeral","ttl":"(?:5m|1h)"\}/g, "");

describe("a Messages request whose prompt is to be kept", () => {
  const protocol = protocolOf("anthropic-messages");
  const binding = { modelId: "claude-sonnet-4-5", promptCacheTtl: "1h" } as const;

  it("is marked behind the instructions, the first turn, the end before and the end", () => {
    const encoder = protocol.encoder();
    const first = encode(protocol, encoder, binding, { messages: [system, user], tools });
    assert.deepStrictEqual(marksIn(first), [
      ["messages.0.content.0", "1h"],
      ["system.0", "1h"],
    ]);
    const messages = [system, user, ...round, ...more];
    encode(protocol, encoder, binding, { messages: messages.slice(0, 4), tools });
    const third = encode(protocol, encoder, binding, { messages, tools });
    assert.deepStrictEqual(
      marksIn(third).map(([path]) => path),
      ["messages.0.content.0", "messages.2.content.0", "messages.4.content.0", "system.0"],
    );
  });

  it("is marked behind the tools where it has no instructions", () => {
    const body = encode(protocol, protocol.encoder(), binding, { messages: [user], tools });
    assert.deepStrictEqual(
      marksIn(body).map(([path]) => path),
      ["messages.0.content.0", "tools.1"],
    );
  });

  it("is the same bytes without its marks, in each round", () => {
    const marked = protocol.encoder();
    const plain = protocol.encoder();
    const messages = [system, Messages.text("user", "Grüße 🙂"), ...round, ...more];
    for (const length of [2, 4, 6]) {
      const changes = { messages: messages.slice(0, length), tools };
      const without = encode(protocol, plain, { modelId: binding.modelId }, changes);
      assert.strictEqual(unmarked(encode(protocol, marked, binding, changes)), without);
    }
    assert.deepStrictEqual(marked.takeWarnings(), []);
  });

  it.live("names the features that it needs in a header", () =>
    Effect.gen(function* () {
      const { url, seen } = yield* servers.http((response) => response.writeHead(500).end("{}"));
      for (const promptCacheTtl of ["5m", "1h", undefined] as const) {
        const asked = inFormat("anthropic-messages", { sessionId: String(promptCacheTtl) });
        const bound = { ...asked.binding, baseUrl: url, ...(promptCacheTtl === undefined ? {} : { promptCacheTtl }) };
        yield* ModelGateway.use((gateway) => gateway.generate({ ...asked, binding: bound }, () => undefined)).pipe(
          Effect.exit,
        );
      }
      assert.deepStrictEqual(
        seen.requests.map(({ headers }) => headers["anthropic-beta"]),
        ["prompt-caching-2024-07-31", "prompt-caching-2024-07-31,extended-cache-ttl-2025-04-11", undefined],
      );
    }).pipe(Effect.provide(gateways.layer())),
  );
});

describe("a request to a router whose prompt is to be kept", () => {
  it("is marked for Claude at OpenRouter, in parts that stay the same", () => {
    const protocol = chatOf(openRouter);
    const encoder = protocol.encoder();
    const binding = { modelId: "anthropic/claude-sonnet-4.5", promptCacheTtl: "5m" } as const;
    const messages = [system, user, ...round, ...more];
    const first = encode(protocol, encoder, binding, { messages: messages.slice(0, 2), tools });
    encode(protocol, encoder, binding, { messages: messages.slice(0, 4), tools });
    const third = encode(protocol, encoder, binding, { messages, tools });
    assert.deepStrictEqual(
      marksIn(third),
      ["messages.0.content.0", "messages.1.content.0", "messages.3.content.0", "messages.5.content.0"].map(
        (path) => [path, "5m"] as const,
      ),
    );
    const [opening = ""] = unmarked(first).split('],"model"');
    assert.isTrue(unmarked(third).startsWith(opening));
  });

  it("is marked behind its instructions, whatever the system says among the turns, and alike when it is sent again", () => {
    const protocol = chatOf(openRouter);
    const encoder = protocol.encoder();
    const binding = { modelId: "anthropic/claude-sonnet-4.5", promptCacheTtl: "5m" } as const;
    const messages = [system, user, ...round, Messages.text("system", "Be short."), ...more];
    encode(protocol, encoder, binding, { messages: messages.slice(0, 5), tools });
    const second = encode(protocol, encoder, binding, { messages, tools });
    assert.deepStrictEqual(
      marksIn(second).map(([path]) => path),
      ["messages.0.content.0", "messages.1.content.0", "messages.4.content.0", "messages.6.content.0"],
    );
    assert.strictEqual(encode(protocol, encoder, binding, { messages, tools }), second);
  });

  it("has a field of its own for Claude at NanoGPT", () => {
    const protocol = chatOf(nanoGpt);
    const binding = { modelId: "claude-sonnet-4-5", promptCacheTtl: "5m" } as const;
    const body = JSON.parse(encode(protocol, protocol.encoder(), binding, { messages: [user] })) as object;
    assert.deepInclude(body, { cache_control: { enabled: true, ttl: "5m" } });
  });

  const others = [
    ["openai-chat", protocolOf("openai-chat"), "tiny"],
    ["openai-responses", protocolOf("openai-responses"), "tiny"],
    ["gemini-generate-content", protocolOf("gemini-generate-content"), "tiny"],
    ["gemini-interactions", protocolOf("gemini-interactions"), "tiny"],
    ["another model at OpenRouter", chatOf(openRouter), "openai/gpt-5"],
  ] as const;
  for (const [what, protocol, modelId] of others) {
    it(`says once that nobody is asked to in ${what}`, () => {
      const encoder = protocol.encoder();
      const binding = { modelId, promptCacheTtl: "5m" } as const;
      for (const expected of [["The setting promptCacheTtl was not sent: the protocol has no place for it."], []]) {
        assert.deepStrictEqual(marksIn(encode(protocol, encoder, binding, { messages: [user] })), []);
        assert.deepStrictEqual(encoder.takeWarnings(), expected);
      }
    });
  }
});

describe("the prefix of the requests of a session", () => {
  const protocol = protocolOf("openai-chat");
  const warningsOf = (before: Partial<ModelRequest>, after: Partial<ModelRequest>): ReadonlyArray<string> => {
    const encoder = protocol.encoder();
    encode(protocol, encoder, {}, before);
    encoder.takeWarnings();
    encode(protocol, encoder, {}, after);
    return encoder.takeWarnings();
  };
  const changed = (at: number, component: string) => [`The request's prefix changed at byte ${at}: ${component}.`];
  const copy = (message: Message): Message => structuredClone(message);

  it("does not change while the conversation grows, nor by equal messages, tools and settings that are new objects", () => {
    const messages = [system, user, ...round];
    assert.deepStrictEqual(warningsOf({ messages, tools }, { messages: [...messages, ...more], tools }), []);
    assert.deepStrictEqual(
      warningsOf(
        { messages, tools, parameters: { seed: 1 } },
        { messages: messages.map(copy), tools: structuredClone(tools), parameters: { seed: 1 } },
      ),
      [],
    );
    assert.deepStrictEqual(warningsOf({ messages }, { messages: messages.slice(0, 2) }), []);
  });

  it("changes with a message, at the byte where that one begins", () => {
    const encoder = protocol.encoder();
    const body = encode(protocol, encoder, {}, { messages: [system, user, ...round] });
    const at = body.indexOf(',{"role":"user"');
    const edited = [system, Messages.text("user", "Stop"), ...round];
    assert.deepStrictEqual(
      warningsOf({ messages: [system, user, ...round] }, { messages: edited }),
      changed(at, "message 1"),
    );
    const other = [Messages.text("system", "Be short."), user];
    assert.deepStrictEqual(warningsOf({ messages: [system, user] }, { messages: other }), changed(0, "system"));
  });

  it("changes with the tools and the settings, at the first byte of theirs that differs", () => {
    const at = JSON.stringify(tools).indexOf("Writes.");
    const [read, write] = tools;
    const edited = read && write ? [read, { ...write, description: "Saves." }] : [];
    assert.deepStrictEqual(warningsOf({ tools }, { tools: edited }), changed(at, "tools"));
    assert.deepStrictEqual(
      warningsOf({ parameters: { seed: 1 } }, { parameters: { seed: 2 } }),
      changed('{"seed":'.length, "settings"),
    );
    assert.deepStrictEqual(warningsOf({ tools }, { tools, toolChoice: "none" }), changed(1, "settings"));
  });
});
