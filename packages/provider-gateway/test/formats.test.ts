import * as Messages from "@cahier/domain/model/Message";
import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as gateways from "./support/gateways.ts";
import * as players from "./support/players.ts";
import { request } from "./support/requests.ts";
import * as servers from "./support/servers.ts";

const routes = [
  ["openai-chat", "/base/chat/completions", "authorization", "Bearer key-0123456789"],
  ["openai-responses", "/base/responses", "authorization", "Bearer key-0123456789"],
  ["anthropic-messages", "/base/messages", "x-api-key", "key-0123456789"],
  ["gemini-generate-content", "/base/models/tiny:streamGenerateContent?alt=sse", "x-goog-api-key", "key-0123456789"],
  ["gemini-interactions", "/base/interactions?alt=sse", "x-goog-api-key", "key-0123456789"],
] as const;

const bound = (format: ModelFormat, url: string) => ({
  source: "custom",
  format,
  modelId: "tiny",
  baseUrl: `${url}/base/`,
  secret: { key: "KEY" },
});

const provided = Effect.provide(gateways.layer({ KEY: " key-0123456789\n" }));

/** Answers every request with a text in the format. */
const server = (format: ModelFormat) =>
  servers.http((response) => {
    const turn = { text: "Hello." };
    const { ending, opening } = players.of(format);
    for (const event of [...opening(turn, turn.text), ...ending(turn)]) response.write(event);
    response.end();
  });

describe("a call over HTTP", () => {
  for (const [format, path, header, value] of routes) {
    it.live(`in ${format} goes to its path, with the key where the format has it and nowhere else`, () =>
      Effect.gen(function* () {
        const { seen, url } = yield* server(format);
        const gateway = yield* ModelGateway;
        const response = yield* gateway.generate(request({ binding: bound(format, url) }), () => undefined);
        assert.strictEqual(Messages.textOf(response.message), "Hello.");
        const [asked] = seen.requests;
        assert.strictEqual(asked?.url, path);
        assert.strictEqual(asked?.headers[header], value);
        const elsewhere = { ...asked?.headers, [header]: "" };
        assert.notInclude(JSON.stringify([asked?.url, asked?.body, elsewhere]), "key-0123456789");
        assert.strictEqual(
          asked?.headers["anthropic-version"],
          format === "anthropic-messages" ? "2023-06-01" : undefined,
        );
      }).pipe(provided),
    );
  }

  it.live("keeps the query of its base URL beside that of its path", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* server("gemini-interactions");
      const gateway = yield* ModelGateway;
      const binding = { ...bound("gemini-interactions", url), baseUrl: `${url}/base?region=north` };
      yield* gateway.generate(request({ binding }), () => undefined);
      assert.strictEqual(seen.requests[0]?.url, "/base/interactions?region=north&alt=sse");
    }).pipe(provided),
  );

  it.live("says in its response what the request could not carry, once", () =>
    Effect.gen(function* () {
      const { url } = yield* server("anthropic-messages");
      const gateway = yield* ModelGateway;
      const foreign: Messages.Message = {
        role: "assistant",
        parts: [
          { type: "text", text: "Yes." },
          { type: "native", format: "openai-responses", source: "openai", model: "m", json: "{}" },
        ],
      };
      const messages = [Messages.text("user", "Go"), foreign, Messages.text("user", "On")];
      const asked = request({ binding: bound("anthropic-messages", url), messages });
      const first = yield* gateway.generate(asked, () => undefined);
      assert.deepStrictEqual(first.warnings, [
        "What only openai-responses can read of earlier answers stays with it and was not sent to anthropic-messages.",
      ]);
      const longer = { ...asked, messages: [...messages, first.message, Messages.text("user", "More")] };
      assert.isUndefined((yield* gateway.generate(longer, () => undefined)).warnings);
    }).pipe(provided),
  );
});
