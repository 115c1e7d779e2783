/**
 * A secret that a server repeats: it is in no response, no delta and no partial response.
 */
import { CallId } from "@cahier/domain/identity/Identity";
import type { Part } from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelDelta, ModelResponse } from "@cahier/domain/model/ModelResponse";
import { ModelFault, ModelGateway } from "@cahier/ports/ModelGateway";
import type { SecretStore } from "@cahier/ports/SecretStore";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { Echoes } from "../src/internal/Echoes.ts";
import * as redact from "../src/internal/redact.ts";
import { mask } from "../src/internal/spellings.ts";

const secret = 'pl/anted"a+b=aba';

const request: ModelRequest = {
  sessionId: "run:inv_root",
  binding: { source: "custom", format: "openai-chat", modelId: "fake", secret: { key: "HOME_KEY" } },
  messages: [],
  tools: [],
  toolChoice: "auto",
  parameters: {},
  stream: true,
  position: 0,
  agent: { profileId: "mine", ordinal: 0, root: true },
};

const storeOf = (value: string): SecretStore["Service"] => ({
  resolve: () => Effect.succeed(Redacted.make(value)),
  has: () => Effect.succeed(true),
  keys: Effect.succeed(["HOME_KEY"]),
});

const answer = (parts: ReadonlyArray<Part>): ModelResponse => ({
  message: { role: "assistant", parts: [...parts] },
  finish: "stop",
  model: "fake",
});

/** A gateway that uses the secret, plays deltas and ends, with its echoes hidden. */
const playing = Effect.fnUntraced(function* (
  deltas: ReadonlyArray<ModelDelta>,
  end: Effect.Effect<ModelResponse, ModelFault>,
) {
  const echoes = new Echoes();
  const store = echoes.remembering(storeOf(secret));
  const gateway = ModelGateway.of({
    formats: ["openai-chat"],
    closeSession: () => Effect.void,
    generate: (_, onDelta) =>
      Effect.andThen(
        Effect.orDie(store.resolve({ key: "HOME_KEY" })),
        Effect.suspend(() => {
          for (const delta of deltas) onDelta(delta);
          return end;
        }),
      ),
  });
  const seen: Array<ModelDelta> = [];
  const result = yield* Effect.exit(echoes.without(gateway).generate(request, (delta) => void seen.push(delta)));
  return { seen, result };
});

const spellings = [
  secret,
  JSON.stringify(secret).slice(1, -1),
  JSON.stringify(secret)
    .slice(1, -1)
    .replaceAll("/", String.raw`\/`),
  encodeURIComponent(secret),
  encodeURIComponent(secret).toLowerCase(),
  Buffer.from(secret).toString("base64"),
  Buffer.from(secret).toString("base64url"),
];

describe("a secret that the model repeats", () => {
  it.effect.each(spellings)("is hidden in every part of a response, spelled %s", (spelling) =>
    Effect.gen(function* () {
      const text = `before ${spelling} after`;
      const parts: ReadonlyArray<Part> = [
        { type: "text", text },
        { type: "reasoning", text },
        { type: "toolCall", callId: CallId.make(text), name: text, arguments: text },
        { type: "native", format: "openai-chat", source: "custom", model: "fake", json: text },
      ];
      const response = {
        ...answer(parts),
        model: text,
        responseId: text,
        warnings: [text],
        providerState: { source: "custom", format: "openai-chat", messageCursor: 1, lastResponseId: text },
      } as const;
      const { result } = yield* playing([], Effect.succeed(response));
      const told = JSON.stringify(result);
      assert.notInclude(told, JSON.stringify(spelling).slice(1, -1));
      assert.strictEqual(told.split(`before ${mask} after`).length - 1, 10, told);
    }),
  );

  it.effect.each(spellings)("is hidden in faults and in the request log, spelled %s", (spelling) =>
    Effect.gen(function* () {
      const fault = new ModelFault({
        reason: { _tag: "Unauthorized", status: 401 },
        detail: `who is ${spelling}?`,
        endpoint: `https://models.test/${spelling}/v1`,
      });
      const { result } = yield* playing([], Effect.fail(fault));
      assert.include(JSON.stringify(result), `who is ${mask}?`);
      assert.include(JSON.stringify(result), `/${mask}/v1`);
      assert.strictEqual(redact.all(`who is ${spelling}?`, [secret]), `who is ${mask}?`);
    }),
  );

  it("is hidden where it stands in base64 behind something else", () => {
    for (const before of ["", "u", "u:", "us:"]) {
      const spelled = Buffer.from(`${before}${secret}:more`).toString("base64");
      const hidden = redact.all(spelled, [secret]);
      assert.include(hidden, mask);
      const left = Buffer.from(hidden.split(mask).join(""), "base64").toString();
      assert.notInclude(left, "anted");
    }
    assert.strictEqual(redact.all("a short x stays", ["", "x"]), `a short ${mask} stays`);
  });

  it.effect("is hidden in what had arrived of a broken response", () =>
    Effect.gen(function* () {
      const fault = new ModelFault({
        reason: { _tag: "Network", kind: "bodyInterrupted" },
        detail: "it was cut",
        partial: answer([{ type: "text", text: `is it ${secret}?` }]),
      });
      const { result } = yield* playing([], Effect.fail(fault));
      assert.include(JSON.stringify(result), `is it ${mask}?`);
      assert.notInclude(JSON.stringify(result), JSON.stringify(secret).slice(1, -1));
    }),
  );

  it.effect("is hidden in deltas wherever they are cut, and they add up to the text", () =>
    Effect.gen(function* () {
      const text = `pl/a pl/anted"a+b=ab ${secret}${secret} pl/anted`;
      for (const size of [1, 2, 3, 5, 7, 11, 13, text.length]) {
        const deltas = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => ({
          type: "text" as const,
          text: text.slice(index * size, (index + 1) * size),
        }));
        const { result, seen } = yield* playing(deltas, Effect.succeed(answer([{ type: "text", text }])));
        const joined = seen.map((delta) => ("text" in delta ? delta.text : "")).join("");
        assert.strictEqual(joined, `pl/a pl/anted"a+b=ab ${mask}${mask} pl/anted`, `in pieces of ${size}`);
        assert.include(JSON.stringify(result), JSON.stringify(joined).slice(1, -1));
      }
    }),
  );

  it.effect("is looked for in each text on its own, whatever comes of another meanwhile", () =>
    Effect.gen(function* () {
      const half = secret.slice(0, 6);
      const deltas: ReadonlyArray<ModelDelta> = [
        { type: "text", text: half },
        { type: "reasoning", text: secret },
        { type: "toolCallStart", index: 0, callId: CallId.make(`id_${secret}`), name: secret },
        { type: "toolCallDelta", index: 0, text: half },
        { type: "text", text: `${secret.slice(6)} and ${half}` },
        { type: "toolCallDelta", index: 0, text: secret.slice(6) },
        { type: "toolCallDelta", index: 0, text: half },
        { type: "toolCallEnd", index: 0 },
      ];
      const { seen } = yield* playing(deltas, Effect.succeed(answer([])));
      assert.deepStrictEqual(seen, [
        { type: "reasoning", text: mask },
        { type: "toolCallStart", index: 0, callId: CallId.make(`id_${mask}`), name: mask },
        { type: "text", text: `${mask} and ` },
        { type: "toolCallDelta", index: 0, text: mask },
        { type: "toolCallDelta", index: 0, text: half },
        { type: "toolCallEnd", index: 0 },
        { type: "text", text: half },
      ]);
    }),
  );

  it.effect("that is too short to be one stays, and a response without any is the very same", () =>
    Effect.gen(function* () {
      const echoes = new Echoes();
      yield* Effect.orDie(echoes.remembering(storeOf("the")).resolve({ key: "HOME_KEY" }));
      const response = answer([{ type: "text", text: "the end" }]);
      const gateway = ModelGateway.of({
        formats: [],
        closeSession: () => Effect.void,
        generate: () => Effect.succeed(response),
      });
      assert.strictEqual(yield* echoes.without(gateway).generate(request, () => undefined), response);
    }),
  );
});
