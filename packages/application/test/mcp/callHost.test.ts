import * as CallHost from "@cahier/application/mcp/callHost";
import type { SourceCall, SourceQuestion, SourceReply } from "@cahier/ports/ToolSource";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type * as Schema from "effect/Schema";
import * as TestClock from "effect/testing/TestClock";

const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

/** A call that replies so, and what it was asked. */
const person = (reply: SourceReply) => {
  const asked: Array<SourceQuestion> = [];
  const call: Pick<SourceCall, "ask" | "sample"> = {
    ask: (question) =>
      Effect.sync(() => {
        asked.push(question);
        return reply;
      }),
    sample: (request) =>
      request.maxTokens > 1000
        ? Effect.fail({ code: "tool.denied", message: "That is too much." })
        : Effect.succeed({
            text: request.messages.map(({ text }) => text).join("|"),
            model: "m",
            isCut: request.maxTokens === 1,
          }),
  };
  return { asked, call };
};

const ask = (reply: SourceReply, message: string, stated: Schema.Json) => {
  const { asked, call } = person(reply);
  const { ask: question } = CallHost.make(call, false).host;
  return Effect.map(question({ serverId: "s", message, schema: stated }), (given) => ({ asked, given }));
};

const request = { messages: [{ role: "user", content: { type: "text", text: "Hello" } }], maxTokens: 100 };

const sample = (asked: Schema.Json, allowsSampling = true) =>
  CallHost.make(person({ action: "cancel" }).call, allowsSampling).host.sample("s", asked);

describe("what a server asks in the middle of a call", () => {
  it.effect("is put to a person, whose answer is given back", () =>
    Effect.gen(function* () {
      const reply: SourceReply = { action: "accept", content: { name: "Ada" } };
      const { asked, given } = yield* ask(reply, "Who are you?", schema);
      assert.deepStrictEqual(asked, [{ message: "Who are you?", schema }]);
      assert.deepStrictEqual(given, reply);
      assert.deepStrictEqual((yield* ask({ action: "decline" }, "Who?", schema)).given, { action: "decline" });
      const long = yield* ask({ action: "decline" }, "w".repeat(100_000), schema);
      assert.isAtMost(long.asked[0]?.message.length ?? Number.NaN, 4096);
    }),
  );

  it.effect("takes the time of one wait where several are asked at once", () =>
    Effect.gen(function* () {
      const { call } = person({ action: "decline" });
      const slow = { ...call, ask: () => Effect.as(Effect.sleep("1 minute"), { action: "decline" } as const) };
      const { host, waitedMs } = CallHost.make(slow, false);
      const question = host.ask({ serverId: "s", message: "Who?", schema });
      const fiber = yield* Effect.forkChild(Effect.all([question, question], { concurrency: "unbounded" }));
      yield* TestClock.adjust("1 minute");
      yield* Fiber.join(fiber);
      assert.strictEqual(waitedMs(), 60_000);
    }),
  );

  it.effect("is not answered with what does not fit", () =>
    Effect.gen(function* () {
      const { given } = yield* ask({ action: "accept", content: { name: 7 } }, "Who?", schema);
      assert.deepStrictEqual(given, { action: "cancel" });
    }),
  );

  it.effect("is asked of nobody where no answer could fit", () =>
    Effect.gen(function* () {
      const remote = { $ref: "https://elsewhere.example/schema.json" };
      for (const stated of [[], "text", null, remote, { description: "d".repeat(100_000) }]) {
        const { asked, given } = yield* ask({ action: "accept", content: {} }, "Who?", stated);
        assert.deepStrictEqual([asked, given], [[], { action: "cancel" }]);
      }
    }),
  );

  it.effect("is refused in words where it is a text of a model and its user has not allowed that", () =>
    Effect.gen(function* () {
      const fault = yield* Effect.flip(sample(request, false));
      assert.strictEqual(fault.code, "mcp.sampling_refused");
      assert.include(fault.detail, "only its user can allow it");
    }),
  );

  it.effect("is a text of a model where that is allowed", () =>
    Effect.gen(function* () {
      const answer = { role: "assistant", content: { type: "text", text: "Hello" }, model: "m", stopReason: "endTurn" };
      assert.deepStrictEqual(yield* sample(request), answer);
      assert.deepInclude(yield* sample({ ...request, maxTokens: 1 }), { stopReason: "maxTokens" });
      const parts = [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ];
      const several = {
        ...request,
        systemPrompt: "Be short.",
        includeContext: "thisServer",
        messages: [{ role: "user", content: parts }, ...request.messages],
      };
      assert.deepInclude(yield* sample(several), { content: { type: "text", text: "one\n\ntwo|Hello" } });
      const fault = yield* Effect.flip(sample({ ...request, maxTokens: 5000 }));
      assert.deepStrictEqual([fault.code, fault.detail], ["tool.denied", "That is too much."]);
    }),
  );

  it.effect("is not passed on where a model would need more than texts", () =>
    Effect.gen(function* () {
      const image = { role: "user", content: { type: "image", data: "", mimeType: "image/png" } };
      for (const asked of [
        null,
        {},
        { ...request, messages: [] },
        { ...request, maxTokens: 0 },
        { ...request, messages: [image] },
        { ...request, tools: [{ name: "t" }] },
      ])
        assert.strictEqual((yield* Effect.flip(sample(asked))).code, "mcp.sampling_unsupported");
    }),
  );
});
