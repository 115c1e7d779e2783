import * as Messages from "@cahier/domain/model/Message";
import { ModelGateway, type ModelFaultReason } from "@cahier/ports/ModelGateway";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import * as UndiciTransport from "@cahier/provider-gateway/transport/UndiciTransport";
import { type ChaosConfig, LLMock } from "@copilotkit/aimock";
import { assert, describe, it } from "@effect/vitest";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { request } from "../src/request.ts";
import * as routes from "../src/routes.ts";
import * as Secrets from "../src/Secrets.ts";

const deadlineMs = 300;

const gateway = Gateway.layer({ firstByteMs: deadlineMs, idleMs: deadlineMs }).pipe(
  Layer.provide([Secrets.placeholders, UndiciTransport.layer({ connectMs: 2000 })]),
);

const server = Effect.acquireRelease(
  Effect.promise(async () => {
    const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 4 });
    await mock.start();
    return mock;
  }),
  (mock) => Effect.promise(() => mock.stop()),
);

const answer = "The rain stops at dawn, Grüße 🙂.";

const ask = (route: routes.Route, url: string, seen: Array<string> = []) => {
  const base = route.binding.source === "gemini" ? "/v1beta" : "/v1";
  const binding = { ...route.binding, baseUrl: url + base };
  const asked = request({ ...route, binding }, { messages: [Messages.text("user", "What of the rain?")] });
  return ModelGateway.use((service) =>
    service.generate(asked, (delta) => {
      if (delta.type === "text") seen.push(delta.text);
    }),
  );
};

const chaos: ReadonlyArray<readonly [string, ChaosConfig, (reason: ModelFaultReason) => boolean]> = [
  ["drops requests", { dropRate: 1 }, (reason) => reason._tag === "Transient" && reason.status === 500],
  ["answers with malformed JSON", { malformedRate: 1 }, (reason) => reason._tag === "InvalidResponse"],
  [
    "limits the rate",
    { rateLimitRate: 1 },
    (reason) => reason._tag === "RateLimited" && reason.status === 429 && (reason.retryAfterMs ?? 0) >= 1000,
  ],
  ["hangs up", { disconnectRate: 1 }, (reason) => reason._tag === "Network" && reason.kind !== "timeout"],
  ["comes too late", { latencyMs: 20_000 }, (reason) => reason._tag === "Network" && reason.kind === "timeout"],
];

describe("a foreign fake server", () => {
  for (const route of [...routes.overHttp, routes.openAiWebSocket]) {
    it.live(`answers in ${route.name}, in pieces of a few characters`, () =>
      Effect.gen(function* () {
        const mock = yield* server;
        mock.on({ predicate: () => true }, { content: answer });
        const seen: Array<string> = [];
        const response = yield* ask(route, mock.url, seen);
        assert.strictEqual(Messages.textOf(response.message), answer);
        assert.strictEqual(seen.join(""), answer);
        assert.isAbove(seen.length, 2);
        assert.strictEqual(response.finish, "stop");
      }).pipe(Effect.provide(gateway)),
    );

    it.live(`that breaks off within an answer in ${route.name} is a broken body with what had arrived`, () =>
      Effect.gen(function* () {
        const mock = yield* server;
        const isWarmUp = { current: route.binding.transport === "websocket" };
        mock.on(
          {
            predicate: () => {
              const isOver = !isWarmUp.current;
              isWarmUp.current = false;
              return isOver;
            },
          },
          { content: answer.repeat(20) },
          { truncateAfterChunks: 12, latency: 2 },
        );
        mock.on({ predicate: () => true }, { content: "" });
        const fault = yield* Effect.flip(ask(route, mock.url));
        assert.deepStrictEqual(fault.reason, { _tag: "Network", kind: "bodyInterrupted" });
        const partial = fault.partial === undefined ? "" : Messages.textOf(fault.partial.message);
        assert.isAbove(partial.length, 3);
        assert.isTrue(answer.repeat(20).startsWith(partial));
      }).pipe(Effect.provide(gateway)),
    );
  }

  for (const route of routes.overHttp) {
    for (const [what, config, isExpected] of chaos) {
      it.live(`that ${what} in ${route.name} is a fault of its name within the deadline`, () =>
        Effect.gen(function* () {
          const mock = yield* server;
          mock.on({ predicate: () => true }, { content: answer });
          mock.setChaos(config);
          const [took, fault] = yield* Effect.timed(Effect.flip(ask(route, mock.url)));
          assert.isTrue(isExpected(fault.reason), JSON.stringify(fault.reason));
          assert.isAbove(fault.detail.length, 0);
          assert.isBelow(Duration.toMillis(took), 3000);
        }).pipe(Effect.provide(gateway)),
      );
    }
  }
});
