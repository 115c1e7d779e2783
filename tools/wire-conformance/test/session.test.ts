import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as FakeResponses from "../src/FakeResponses.ts";
import * as gatewaySession from "../src/gatewaySession.ts";
import * as sessionShape from "../src/sessionShape.ts";
import * as PublishedSchemas from "./support/PublishedSchemas.ts";

/** What OpenAI's own client was seen to do with the same server: `npm run codex` shows it anew. */
const ofCodex: ReadonlyArray<readonly [string, string]> = [
  ["connections", "1"],
  ["requests without an upgrade", "0"],
  ["path", "/v1/responses"],
  ["openai-beta", "responses_websockets=2026-02-06"],
  ["authorization", "a bearer token"],
  ["frames", "3"],
  ["frame 1: type", "response.create"],
  ["frame 1: generate", "false"],
  ["frame 1: previous_response_id", "undefined"],
  ["frame 1: store", "false"],
  ["frame 1: include", '["reasoning.encrypted_content"]'],
  ["frame 1: background", "undefined"],
  ["frame 2: generate", "undefined"],
  ["frame 2: previous_response_id", "resp_1"],
  ["frame 2: store", "false"],
  ["frame 2: include", '["reasoning.encrypted_content"]'],
  ["frame 3: previous_response_id", "resp_2"],
  ["frame 3: kinds of items", "function_call_output"],
  ["frame 3: store", "false"],
];

describe("a session over a WebSocket with a real server of sockets", () => {
  it.live("does what OpenAI's own client does: one connection, a warm-up, then only what is new", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* FakeResponses.make(() => gatewaySession.call);
      assert.strictEqual(yield* gatewaySession.run(url), "Done.");
      const shape = sessionShape.shapeOf(seen);
      assert.deepStrictEqual(
        ofCodex.map(([thing]) => [thing, shape.get(thing)]),
        ofCodex.map(([thing, value]) => [thing, value]),
      );
    }),
  );

  const test = PublishedSchemas.arePresent ? it.live : it.live.skip;
  test(`sends frames that the published schema takes, with unknown fields refused${PublishedSchemas.absence}`, () =>
    Effect.gen(function* () {
      const validate = PublishedSchemas.validator("openai-responses", {
        closed: "everywhere",
        pointer: "#/components/schemas/ResponsesClientEventResponseCreate",
      });
      const { seen, url } = yield* FakeResponses.make(() => gatewaySession.call);
      yield* gatewaySession.run(url);
      assert.lengthOf(seen.frames, 3);
      // The mark of a warm-up is not published; OpenAI's own client sends it.
      for (const { generate: _, ...frame } of seen.frames) assert.deepStrictEqual(validate(frame), []);
    }));

  it("is compared thing by thing with that of another client", () => {
    const one = new Map([
      ["frames", "3"],
      ["path", "/v1/responses"],
    ]);
    const other = new Map([
      ["frames", "2"],
      ["path", "/v1/responses"],
      ["store", "false"],
    ]);
    assert.deepStrictEqual(sessionShape.compare(["codex", "gateway"], one, other), [
      "differs frames: codex 3; gateway 2",
      "same    path: /v1/responses",
      "differs store: codex nothing; gateway false",
    ]);
  });
});
