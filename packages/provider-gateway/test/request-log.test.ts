import type { ModelExchange } from "@cahier/domain/model/ModelExchange";
import * as Messages from "@cahier/domain/model/Message";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Layer from "effect/Layer";
import * as Gateway from "../src/Gateway.ts";
import { source as custom } from "../src/providers/Custom.ts";
import { RequestLog } from "../src/RequestLog.ts";
import { SocketRefused } from "../src/transport/SocketTransport.ts";
import * as gateways from "./support/gateways.ts";
import { chunk, request, sseBody } from "./support/requests.ts";
import * as servers from "./support/servers.ts";
import * as sockets from "./support/sockets.ts";

const key = 'sk/live+0123456789"x';
const good = sseBody(chunk({ content: "Hello" }, "stop"), "[DONE]");

const log = () => {
  const exchanges: Array<ModelExchange> = [];
  const reference = RequestLog.of({ record: (exchange) => Effect.sync(() => void exchanges.push(exchange)) });
  return { exchanges, logged: Effect.provideService(RequestLog, reference), reference };
};

const ask = (baseUrl: string, binding: Partial<ModelBinding> = {}, text = "Write.") =>
  ModelGateway.use((gateway) =>
    gateway.generate(
      request({
        position: 3,
        messages: [Messages.text("user", text)],
        binding: {
          source: "custom",
          format: "openai-chat",
          modelId: "tiny",
          baseUrl,
          secret: { key: "KEY" },
          ...binding,
        },
      }),
      () => undefined,
    ),
  );

const provided = Effect.provide(gateways.layer({ KEY: key }));

const withoutSecret = (exchange: ModelExchange | undefined): void => {
  const shown = JSON.stringify(exchange);
  for (const part of ["0123456789", "sk/live", "sk%2Flive", "queried-secret"]) assert.notInclude(shown, part);
};

describe("the request log", () => {
  it.live("has what was sent and what came back, with the key and the query left out", () =>
    Effect.gen(function* () {
      const { url } = yield* servers.http((response) =>
        response.writeHead(200, { "x-request-id": "q1", "set-cookie": "session=abc" }).end(good),
      );
      const { exchanges, logged } = log();
      yield* ask(`${url}/v1?api-key=queried-secret`).pipe(logged);
      const [exchange] = exchanges;
      assert.strictEqual(exchanges.length, 1);
      assert.deepInclude(exchange, {
        sessionId: "run_1:inv_root",
        position: 3,
        method: "POST",
        endpoint: `${url}/v1/chat/completions`,
        status: 200,
        responseBody: good,
        outcome: "answered",
      });
      assert.strictEqual(exchange?.requestHeaders["authorization"], "<redacted>");
      assert.strictEqual(exchange?.requestHeaders["content-type"], "application/json");
      assert.strictEqual(exchange?.responseHeaders?.["x-request-id"], "q1");
      assert.strictEqual(exchange?.responseHeaders?.["set-cookie"], "<redacted>");
      assert.deepNestedInclude(JSON.parse(exchange?.requestBody ?? ""), { "messages[0].content": "Write." });
      assert.isAtLeast(Date.parse(exchange?.endedAt ?? ""), Date.parse(exchange?.startedAt ?? ""));
      withoutSecret(exchange);
    }).pipe(provided),
  );

  it.live("shows no secret that a message, a header, an answer or an error echoes", () =>
    Effect.gen(function* () {
      const echo = `${key} ${encodeURIComponent(key)} Bearer ${key} queried-secret`;
      const answers = [
        [200, sseBody(chunk({ content: echo }, "stop"), "[DONE]")],
        [401, JSON.stringify({ error: { message: echo } })],
        [500, `<html>${echo}`],
      ] as const;
      for (const [status, body] of answers) {
        const { url } = yield* servers.http((response) => response.writeHead(status, { "x-echo": key }).end(body));
        const { exchanges, logged } = log();
        yield* ask(`${url}/v1?api-key=queried-secret`, {}, `My key is ${key}.`).pipe(logged, Effect.exit);
        assert.strictEqual(exchanges[0]?.status, status);
        assert.strictEqual(exchanges[0]?.outcome, status === 200 ? "answered" : "failed");
        withoutSecret(exchanges[0]);
      }
    }).pipe(provided),
  );

  it.live("shows nothing of a body that holds a secret in pieces, and all of one that holds other pieces", () =>
    Effect.gen(function* () {
      const cut = (text: string) => [text.slice(0, 7), text.slice(7, 12), text.slice(12)];
      const said = (text: string) => cut(text).map((content) => chunk({ content }));
      const thought = (text: string) => cut(text).map((piece) => chunk({ reasoning_content: piece }));
      const called = (text: string) => [
        chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "read", arguments: "" } }] }),
        ...cut(JSON.stringify(text)).map((piece) =>
          chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
        ),
      ];
      for (const answer of [said, thought, called]) {
        const body = sseBody(...answer(key), chunk({ content: "." }, "stop"), "[DONE]");
        const other = sseBody(...answer("0123456 not a key"), chunk({ content: "." }, "stop"), "[DONE]");
        const { exchanges, logged } = log();
        for (const sent of [body, other]) {
          const { url } = yield* servers.http((response) => response.writeHead(200).end(sent));
          yield* ask(`${url}/v1`).pipe(logged);
        }
        const [hidden, shown] = exchanges.map(({ responseBody }) => responseBody);
        assert.strictEqual(hidden, `[redacted] (${body.length} bytes left out: they hold a secret in pieces)`);
        assert.strictEqual(shown, other);
      }
    }).pipe(provided),
  );

  it.live("leaves out the header that a source makes from the secret, whatever its name", () =>
    Effect.gen(function* () {
      const { url, seen } = yield* servers.http((response) => response.end(good));
      const { exchanges, logged } = log();
      yield* ask(url).pipe(logged);
      assert.strictEqual(seen.requests[0]?.headers["x-own"], key);
      assert.strictEqual(exchanges[0]?.requestHeaders["x-own"], "<redacted>");
    }).pipe(Effect.provide(gateways.layer({ KEY: key }, { sources: [{ ...custom, auth: () => ({ "X-Own": key }) }] }))),
  );

  it.live("keeps 256 KiB of each body and says how much there was beyond", () =>
    Effect.gen(function* () {
      const long = sseBody(chunk({ content: "ü".repeat(200_000) }, "stop"), "[DONE]");
      const { url, seen } = yield* servers.http((response) => response.end(long));
      const { exchanges, logged } = log();
      yield* ask(url, {}, "ö".repeat(200_000)).pipe(logged);
      const bodies = [
        [exchanges[0]?.requestBody ?? "", seen.requests[0]?.body ?? ""],
        [exchanges[0]?.responseBody ?? "", long],
      ] as const;
      for (const [shown, all] of bodies) {
        const [kept = "", left] = shown.split("… (");
        assert.isTrue(all.startsWith(kept));
        const size = (text: string) => new TextEncoder().encode(text).length;
        assert.isAtMost(size(kept), 256 * 1024);
        assert.strictEqual(left, `${size(all) - size(kept)} bytes left out)`);
      }
    }).pipe(provided),
  );

  it.live("has a call that was interrupted, and one that reached nobody", () =>
    Effect.gen(function* () {
      const { promise: asked, resolve } = Promise.withResolvers<void>();
      const { url } = yield* servers.http((response) => {
        response.write("data:");
        resolve();
      });
      const { exchanges, logged } = log();
      const fiber = yield* Effect.forkChild(ask(url).pipe(logged), { startImmediately: true });
      yield* Effect.promise(() => asked);
      yield* Fiber.interrupt(fiber);
      assert.strictEqual(exchanges[0]?.outcome, "interrupted");
      yield* ask(`http://127.0.0.1:${yield* servers.unusedPort}`).pipe(logged, Effect.exit);
      assert.strictEqual(exchanges[1]?.outcome, "failed");
      assert.notProperty(exchanges[1], "status");
      assert.include(exchanges[1]?.detail, "no connection");
    }).pipe(provided),
  );

  it.live("may be given to the gateway once for all calls", () => {
    const { exchanges, reference } = log();
    return Effect.gen(function* () {
      const { url } = yield* servers.http((response) => response.end(good));
      yield* ask(url);
      assert.strictEqual(exchanges.length, 1);
    }).pipe(Effect.provide(gateways.layer({ KEY: key }).pipe(Layer.provide(Layer.succeed(RequestLog)(reference)))));
  });

  it.effect("has a call over a socket as one exchange of all its frames", () => {
    const { exchanges, logged } = log();
    const refusal = new SocketRefused({ head: { status: 403, headers: {} }, body: `no, ${key}` });
    const fake = sockets.played([sockets.warmed(), sockets.says("r1", `It is ${key}.`)]);
    const refusing = sockets.played([], [refusal]);
    const over = (played: typeof fake) =>
      Effect.provide(
        Gateway.layer().pipe(Layer.provide([gateways.secrets({ KEY: key }), gateways.noTransport, played.layer])),
      );
    const call = ask("https://models.test/v1", { format: "openai-responses", transport: "websocket" }).pipe(logged);
    return Effect.gen(function* () {
      yield* call.pipe(over(fake));
      yield* call.pipe(over(refusing), Effect.exit);
      const [answered, refused] = exchanges;
      assert.deepInclude(answered, { method: "WEBSOCKET", status: 101, outcome: "answered" });
      assert.strictEqual(answered?.endpoint, "https://models.test/v1/responses");
      assert.strictEqual(answered?.requestHeaders["authorization"], "<redacted>");
      const frames = (answered?.requestBody ?? "").trim().split("\n");
      assert.deepStrictEqual(
        frames.map((frame) => (JSON.parse(frame) as { type: string }).type),
        ["response.create", "response.create"],
      );
      assert.strictEqual((answered?.responseBody ?? "").trim().split("\n").length, 4);
      assert.deepInclude(refused, { status: 403, outcome: "failed", responseBody: "no, [redacted]\n" });
      withoutSecret(answered);
      withoutSecret(refused);
    });
  });
});
