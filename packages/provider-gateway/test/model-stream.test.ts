import * as Message from "@cahier/domain/model/Message";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import * as ModelStream from "../src/ModelStream.ts";
import * as gateways from "./support/gateways.ts";
import { request } from "./support/requests.ts";

const play = (turn: unknown) =>
  Stream.unwrap(
    ModelGateway.use((gateway) =>
      Effect.succeed(
        ModelStream.generate(
          gateway,
          request({
            binding: {
              source: "scripted",
              format: "scripted",
              modelId: "script",
              script: JSON.stringify({ format: "cahier.script/1", turns: [turn] }),
            },
          }),
        ),
      ),
    ),
  ).pipe(Stream.provide(gateways.scripted));

describe("a model call as a stream", () => {
  it.effect("gives the deltas in order and then exactly one response", () =>
    Effect.gen(function* () {
      const text = "word ".repeat(2000);
      const events = yield* Stream.runCollect(play({ text, toolCalls: [{ name: "read" }] }));
      const last = events.at(-1);
      assert.strictEqual(last?.type, "response");
      assert.strictEqual(events.filter(({ type }) => type !== "delta").length, 1);
      const deltas = events.flatMap((event) => (event.type === "delta" ? [event.delta] : []));
      assert.strictEqual(deltas.map((delta) => (delta.type === "text" ? delta.text : "")).join(""), text);
      assert.strictEqual(last?.type === "response" ? Message.textOf(last.response.message) : "", text);
    }),
  );

  it.effect("ends with one fault, after what had arrived", () =>
    Effect.gen(function* () {
      const events = yield* Stream.runCollect(play({ text: "abcdef", error: { cutAfterChars: 3 } }));
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["delta", "delta", "fault"],
      );
    }),
  );

  it.effect("stops the call when the consumer stops", () =>
    Effect.gen(function* () {
      const events = yield* Stream.runCollect(Stream.take(play({ text: "ab", error: { hang: true } }), 2));
      assert.strictEqual(events.length, 2);
    }),
  );
});
