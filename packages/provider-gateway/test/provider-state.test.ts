import { CallId } from "@cahier/domain/identity/Identity";
import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as gateways from "./support/gateways.ts";
import { chunk, request, sseBody } from "./support/requests.ts";
import * as servers from "./support/servers.ts";

const ask = (url: string, format: ModelFormat, changes: object = {}) =>
  ModelGateway.use((gateway) =>
    gateway.generate(
      request({ binding: { source: "custom", format, modelId: "tiny", baseUrl: url, ...changes }, position: 2 }),
      () => undefined,
    ),
  );

const answers: ReadonlyArray<readonly [ModelFormat, object]> = [
  [
    "openai-responses",
    {
      id: "r1",
      output: [
        { type: "reasoning", summary: [] },
        { type: "message", content: [] },
      ],
    },
  ],
  [
    "anthropic-messages",
    { id: "r1", content: [{ type: "text", text: "a" }, { type: "later" }], stop_reason: "end_turn" },
  ],
  [
    "gemini-generate-content",
    {
      responseId: "r1",
      candidates: [{ content: { parts: [{ text: "a", thoughtSignature: "s" }, { text: "b" }] }, finishReason: "STOP" }],
    },
  ],
  [
    "gemini-interactions",
    { id: "r1", status: "completed", steps: [{ type: "thought" }, { type: "model_output", content: [] }] },
  ],
];

describe("the provider state after a response over HTTP", () => {
  for (const [format, body] of answers) {
    it.live(`counts the messages and the native items in ${format}, and names no response to go on from`, () =>
      Effect.gen(function* () {
        const { url } = yield* servers.http((response) => response.end(JSON.stringify(body)));
        assert.deepStrictEqual((yield* ask(url, format)).providerState, {
          source: "custom",
          format,
          messageCursor: 1,
          lastResponseId: "r1",
          nativeContinuation: { format, partCount: 2 },
        });
      }).pipe(Effect.provide(gateways.layer())),
    );
  }

  it.live("is none in openai-chat", () =>
    Effect.gen(function* () {
      const { url } = yield* servers.http((response) =>
        response.end(sseBody(chunk({ content: "a" }, "stop"), "[DONE]")),
      );
      assert.notProperty(yield* ask(url, "openai-chat"), "providerState");
    }).pipe(Effect.provide(gateways.layer())),
  );
});

describe("a call without an id", () => {
  const body = sseBody(
    chunk({ tool_calls: [{ index: 0, function: { name: "read", arguments: "{}" } }] }, "stop"),
    "[DONE]",
  );

  it.live("is given one by its place in the session where the binding says so, and is a fault elsewhere", () =>
    Effect.gen(function* () {
      const { url } = yield* servers.http((response) => response.end(body));
      const { message } = yield* ask(url, "openai-chat", { syntheticToolCallIds: true });
      assert.deepInclude(message.parts[0], { type: "toolCall", callId: CallId.make("call_2_0") });
      const fault = yield* Effect.flip(ask(url, "openai-chat"));
      assert.strictEqual(fault.reason._tag, "InvalidToolCall");
    }).pipe(Effect.provide(gateways.layer())),
  );
});
