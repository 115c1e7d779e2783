import * as Message from "@cahier/domain/model/Message";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { LLMock } from "@copilotkit/aimock";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as gateways from "./support/gateways.ts";
import { collector, request } from "./support/requests.ts";

const server = Effect.acquireRelease(
  Effect.promise(async () => {
    const mock = new LLMock({ port: 0, host: "127.0.0.1" });
    await mock.start();
    return mock;
  }),
  (mock) => Effect.promise(() => mock.stop()),
);

const tools = [
  {
    name: "workspace_read_file",
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  },
];

/** The formats that the server speaks, with a model of each and where its paths begin. */
const formats = [
  ["openai-chat", "gpt-4o-mini", "/v1"],
  ["openai-responses", "gpt-4o-mini", "/v1"],
  ["anthropic-messages", "claude-sonnet-4-5", "/v1"],
  ["gemini-generate-content", "gemini-2.5-flash", "/v1beta"],
  ["gemini-interactions", "gemini-2.5-flash", "/v1beta"],
] as const;

const cases = formats.flatMap(([format, modelId, path]) => [
  { format, modelId, path, stream: true },
  { format, modelId, path, stream: false },
]);

describe("against a foreign fake server", () => {
  for (const { format, modelId, path, stream } of cases) {
    const binding = (url: string) => ({ source: "custom", format, modelId, baseUrl: url + path });
    const how = `in ${format} ${stream ? "over events" : "as whole bodies"}`;

    it.live(`a tool round goes through ${how}`, () =>
      Effect.gen(function* () {
        const mock = yield* server;
        mock.onMessage("Read it", {
          toolCalls: [{ name: "workspace_read_file", arguments: '{"path":"output/main.md"}' }],
        });
        const gateway = yield* ModelGateway;
        const asked = request({
          binding: binding(mock.url),
          messages: [Message.text("user", "Read it")],
          tools,
          stream,
        });
        const first = collector();
        const response = yield* gateway.generate(asked, first.onDelta);
        const [call] = Message.toolCallsOf(response.message);
        assert.strictEqual(response.finish, "toolCalls");
        assert.strictEqual(call?.name, "workspace_read_file");
        assert.deepStrictEqual(JSON.parse(call?.arguments ?? ""), { path: "output/main.md" });
        assert.strictEqual(first.argumentsOf(0), call?.arguments);
        if (call === undefined) return;

        mock.clearFixtures();
        // By what the result says: of Gemini's calls the server keeps no ids.
        mock.on({ toolResultContains: "what the file says" }, { content: "The file says hello, Grüße 🙂." });
        const result: Message.Message = {
          role: "tool",
          parts: [
            { type: "toolResult", callId: call.callId, name: call.name, content: "what the file says", isError: false },
          ],
        };
        const second = collector();
        const answer = yield* gateway.generate(
          { ...asked, messages: [...asked.messages, response.message, result], position: 1 },
          second.onDelta,
        );
        assert.strictEqual(Message.textOf(answer.message), "The file says hello, Grüße 🙂.");
        assert.strictEqual(second.joined("text"), Message.textOf(answer.message));
        assert.strictEqual(answer.finish, "stop");
        assert.isDefined(answer.usage);
      }).pipe(Effect.provide(gateways.layer())),
    );

    it.live(`an injected error is named by its status ${how}`, () =>
      Effect.gen(function* () {
        const mock = yield* server;
        mock.nextRequestError(429, { message: "slow down", type: "rate_limit_error" });
        const gateway = yield* ModelGateway;
        const asked = request({ binding: binding(mock.url), stream });
        const fault = yield* Effect.flip(gateway.generate(asked, () => undefined));
        assert.strictEqual(fault.reason._tag, "RateLimited");
        assert.include(fault.detail, "slow down");
      }).pipe(Effect.provide(gateways.layer())),
    );
  }

  it.live("a tool round goes through over one WebSocket", () =>
    Effect.gen(function* () {
      const mock = yield* server;
      mock.onMessage("Read it", {
        toolCalls: [{ name: "workspace_read_file", arguments: '{"path":"output/main.md"}' }],
      });
      const gateway = yield* ModelGateway;
      const asked = request({
        binding: {
          source: "custom",
          format: "openai-responses",
          modelId: "gpt-4o-mini",
          baseUrl: `${mock.url}/v1`,
          transport: "websocket",
        },
        messages: [Message.text("user", "Read it")],
        tools,
      });
      const response = yield* gateway.generate(asked, () => undefined);
      const [call] = Message.toolCallsOf(response.message);
      assert.deepStrictEqual(JSON.parse(call?.arguments ?? ""), { path: "output/main.md" });
      if (call === undefined) return;
      mock.clearFixtures();
      mock.on({ toolResultContains: "what the file says" }, { content: "The file says hello, Grüße 🙂." });
      const result: Message.Message = {
        role: "tool",
        parts: [
          { type: "toolResult", callId: call.callId, name: call.name, content: "what the file says", isError: false },
        ],
      };
      const seen = collector();
      const answer = yield* gateway.generate(
        { ...asked, messages: [...asked.messages, response.message, result], position: 1 },
        seen.onDelta,
      );
      assert.strictEqual(Message.textOf(answer.message), "The file says hello, Grüße 🙂.");
      assert.strictEqual(seen.joined("text"), Message.textOf(answer.message));
      const asks = mock.getRequests().filter(({ method }) => method === "WS");
      const users = asks.map(
        ({ body }) =>
          (body as { messages: ReadonlyArray<{ role: string }> }).messages.filter(({ role }) => role === "user").length,
      );
      // The first is the warm-up, which this server does not know; the last only says what is new.
      assert.deepStrictEqual(users, [0, 1, 0]);
    }).pipe(Effect.provide(gateways.layer())),
  );
});
