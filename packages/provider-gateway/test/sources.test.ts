import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Redacted from "effect/Redacted";
import * as Gateway from "../src/Gateway.ts";
import * as names from "../src/providers/names.ts";
import { sources } from "../src/providers/sources.ts";
import * as gateways from "./support/gateways.ts";
import { request } from "./support/requests.ts";

const all = [
  ["openai", "openai-chat openai-responses"],
  ["openrouter", "openai-chat openai-responses"],
  ["custom", "openai-chat openai-responses anthropic-messages gemini-generate-content gemini-interactions"],
  ["anthropic", "anthropic-messages"],
  ["gemini", "gemini-generate-content gemini-interactions"],
  ["vertexai", "gemini-generate-content anthropic-messages"],
  ["deepseek", "openai-chat"],
  ["cohere", "openai-chat"],
  ["groq", "openai-chat"],
  ["moonshot", "openai-chat"],
  ["nanogpt", "openai-chat"],
  ["chutes", "openai-chat"],
  ["siliconflow", "openai-chat"],
  ["workers_ai", "openai-chat"],
  ["zai", "openai-chat"],
  ["minimax", "openai-chat"],
  ["aws_bedrock", "openai-chat"],
  ["ollama", "openai-chat"],
] as const;

const headersOf = (source: string, format: ModelFormat, secret: string) =>
  sources.find((one) => one.source === source)?.auth(Redacted.make(secret), format);

describe("the sources of models", () => {
  it("have these names and formats", () => {
    assert.deepStrictEqual(
      sources.map(({ protocols, source }) => [source, protocols.map(({ format }) => format).join(" ")]),
      all.map(([source, formats]) => [source, formats]),
    );
  });

  it("are reached over TLS, unless they are on this machine or where a connection says", () => {
    const without = sources.flatMap(({ baseUrl, source }) => (baseUrl === undefined ? [source] : []));
    assert.deepStrictEqual(without, ["custom", "workers_ai", "aws_bedrock"]);
    for (const { baseUrl = "https://", source } of sources) {
      assert.isTrue(baseUrl.startsWith(source === "ollama" ? "http://127.0.0.1:" : "https://"), source);
      assert.isFalse(baseUrl.endsWith("/") && baseUrl !== "https://", source);
    }
  });

  it("need a key, except those that may stand on this machine", () => {
    const optional = sources.filter(({ secret }) => secret === "optional").map(({ source }) => source);
    assert.deepStrictEqual(optional, ["custom", "ollama"]);
  });

  it("send a key in the header of its vendor", () => {
    const key = { "x-api-key": "k" };
    const googleKey = { "x-goog-api-key": "k" };
    const bearer = { authorization: "Bearer k" };
    for (const source of ["anthropic", "custom"])
      assert.deepStrictEqual(headersOf(source, "anthropic-messages", "k"), key);
    for (const source of ["gemini", "custom"]) {
      assert.deepStrictEqual(headersOf(source, "gemini-generate-content", "k"), googleKey);
      assert.deepStrictEqual(headersOf(source, "gemini-interactions", "k"), googleKey);
    }
    for (const source of ["openai", "custom", "groq"])
      assert.deepStrictEqual(headersOf(source, "openai-chat", "k"), bearer);
    assert.deepStrictEqual(headersOf("vertexai", "gemini-generate-content", "AIzaX"), { "x-goog-api-key": "AIzaX" });
    assert.deepStrictEqual(headersOf("vertexai", "anthropic-messages", "ya29.X"), { authorization: "Bearer ya29.X" });
  });

  it.effect("of an unknown name are a fault that names them", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.make();
      const asked = request({ binding: { source: "nobody", format: "openai-chat", modelId: "m" } });
      const fault = yield* Effect.flip(gateway.generate(asked, () => undefined));
      assert.deepStrictEqual(fault.reason, { _tag: "NotConfigured", what: "source" });
      assert.include(fault.detail, "nobody");
    }).pipe(Effect.provide([gateways.secrets({}), gateways.noTransport])),
  );
});

describe("imported names", () => {
  it("of sources are read as the gateway's", () => {
    assert.deepStrictEqual(["makersuite", "google", "claude", " OpenAI"].map(names.sourceOf), [
      "gemini",
      "gemini",
      "anthropic",
      "openai",
    ]);
  });

  it("of formats are read as the gateway's, or as nothing", () => {
    const formats = [
      "openai_compat",
      "openai_compatible",
      "openai_responses",
      "claude_messages",
      "gemini",
      "gemini_interactions",
    ];
    assert.deepStrictEqual(
      formats.map((name) => Option.getOrNull(names.formatOf(name))),
      [
        "openai-chat",
        "openai-chat",
        "openai-responses",
        "anthropic-messages",
        "gemini-generate-content",
        "gemini-interactions",
      ],
    );
    assert.isTrue(Option.isNone(names.formatOf("smoke signals")));
  });
});
