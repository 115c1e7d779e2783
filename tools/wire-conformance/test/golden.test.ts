import { CallId } from "@cahier/domain/identity/Identity";
import type { Message } from "@cahier/domain/model/Message";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import { SocketTransport } from "@cahier/provider-gateway/transport/SocketTransport";
import { Transport } from "@cahier/provider-gateway/transport/Transport";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as cassettes from "../src/cassettes.ts";
import * as CapturingTransport from "../src/CapturingTransport.ts";
import { play, type Played } from "../src/play.ts";
import * as ReplayTransport from "../src/ReplayTransport.ts";
import * as routes from "../src/routes.ts";
import * as scenarios from "../src/scenarios.ts";
import * as Secrets from "../src/Secrets.ts";
import * as WrittenSocketTransport from "../src/written/WrittenSocketTransport.ts";

/** Arguments are compared by what they say: a whole body may spell them anew. */
const comparable = (outcome: scenarios.Outcome): unknown =>
  outcome._tag === "response"
    ? {
        ...outcome,
        calls: outcome.calls.map(({ id, name, raw }) => ({
          id: CallId.make(id),
          name,
          arguments: JSON.parse(raw) as unknown,
        })),
      }
    : outcome;

/** What had arrived of a body that came as one is nothing. */
const expectedOf = ({ outcome }: scenarios.Scenario, stream: boolean): scenarios.Outcome => {
  if (stream || outcome._tag !== "fault") return outcome;
  return { _tag: "fault", reason: outcome.reason };
};

const nativesOf = ({ parts }: Message): ReadonlyArray<string> =>
  parts.flatMap((part) => (part.type === "native" ? [part.json] : []));

const check = (scenario: scenarios.Scenario, { outcome }: Played, stream: boolean): void =>
  assert.deepStrictEqual(comparable(outcome), comparable(expectedOf(scenario, stream)));

describe("the golden table", () => {
  for (const scenario of scenarios.all) {
    for (const route of routes.overHttp) {
      if (scenario.without?.[route.name] !== undefined) continue;
      for (const stream of scenario.streamedOnly === true ? [true] : [true, false]) {
        it.effect(`${scenario.name} | ${route.name} | ${stream ? "streamed" : "whole"}`, () =>
          Effect.gen(function* () {
            const cassette = yield* cassettes.read(route, scenario);
            const replay = ReplayTransport.make(stream ? cassette.streamed : cassette.whole);
            const layer = Gateway.layer().pipe(
              Layer.provide([Secrets.placeholders, Layer.succeed(Transport)(replay.transport)]),
            );
            const played = yield* play(route, scenario, stream).pipe(Effect.provide(layer));
            check(scenario, played, stream);
            assert.strictEqual(replay.remaining(), 0);
            assert.strictEqual(replay.abandoned(), scenario.outcome._tag === "left" ? 1 : 0);
            // What came goes back where it stood, byte for byte.
            for (const [index, { message }] of played.responses.slice(0, -1).entries()) {
              const natives = nativesOf(message);
              assert.strictEqual(natives.length > 0, route.name !== "openai-chat");
              const [, ...after] = (replay.bodies[index + 1] ?? "").split(natives[0] ?? "no native item");
              assert.lengthOf(after, natives.length === 0 ? 0 : 1);
              for (const json of natives) assert.include(replay.bodies[index + 1], json);
            }
          }),
        );
      }
    }
    it.effect(`${scenario.name} | ${routes.openAiWebSocket.name} | streamed`, () =>
      Effect.gen(function* () {
        const socket = WrittenSocketTransport.make(scenario.turns);
        const transport = CapturingTransport.make();
        const layer = Gateway.layer().pipe(
          Layer.provide([Secrets.placeholders, transport.layer, Layer.succeed(SocketTransport)(socket.transport)]),
        );
        const played = yield* play(routes.openAiWebSocket, scenario, true).pipe(Effect.provide(layer));
        check(scenario, played, true);
        assert.isEmpty(transport.requests);
        const isOver = scenario.outcome._tag !== "response";
        assert.strictEqual(socket.seen.closed, isOver ? socket.seen.opened : 0);
        if (socket.seen.opened === 0) return;
        // A warm-up, then one frame a turn; each goes on from the response before it and has only what is new.
        const [warmUp, ...asked] = socket.sent;
        assert.strictEqual(warmUp?.generate, false);
        assert.lengthOf(asked, scenario.turns.length);
        assert.deepStrictEqual(
          asked.map(({ previous_response_id }) => previous_response_id),
          asked.map((_, index) => `resp_${index + 1}`),
        );
        for (const { input } of asked.slice(1)) {
          const types = (input ?? []).map((item) => (item as { readonly type?: string }).type);
          assert.deepStrictEqual(types, ["function_call_output", "function_call_output"]);
        }
      }),
    );
    if (scenario.without?.["scripted"] !== undefined) continue;
    it.effect(`${scenario.name} | scripted | streamed`, () =>
      Effect.gen(function* () {
        const transport = CapturingTransport.make();
        const layer = Gateway.layer().pipe(Layer.provide([Secrets.placeholders, transport.layer]));
        check(scenario, yield* play(routes.scripted, scenario, true).pipe(Effect.provide(layer)), true);
        assert.isEmpty(transport.requests);
      }),
    );
  }
});
