import * as Message from "@cahier/domain/model/Message";
import type { ModelBinding, ModelRequest } from "@cahier/domain/model/ModelRequest";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { SecretStore } from "@cahier/ports/SecretStore";
import { Unavailable } from "@cahier/ports/StorageFault";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Layer from "effect/Layer";
import * as TestClock from "effect/testing/TestClock";
import * as Gateway from "../src/Gateway.ts";
import { source as custom } from "../src/providers/Custom.ts";
import { source as openAi } from "../src/providers/OpenAi.ts";
import { Transport } from "../src/transport/Transport.ts";
import * as gateways from "./support/gateways.ts";
import { chunk, collector, request, sseBody, toolRound } from "./support/requests.ts";
import * as servers from "./support/servers.ts";

const key = 'sk/live+0123456789"x';
const values = { KEY: key, PASTED: ` ${key}\n`, BROKEN: "a\nb" };

const ask = (baseUrl: string | undefined, changes: Partial<ModelRequest> = {}, binding: Partial<ModelBinding> = {}) => {
  const seen = collector();
  const asked = request({
    ...changes,
    binding: {
      source: "custom",
      format: "openai-chat",
      modelId: "tiny",
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...binding,
    },
  });
  return { seen, call: ModelGateway.use((gateway) => gateway.generate(asked, seen.onDelta)) };
};

const provided = Effect.provide(gateways.layer(values, { firstByteMs: 300, idleMs: 300 }));

const answer = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  servers.http((response) => response.writeHead(status, headers).end(body));

const faultOf = (status: number, body: string, headers?: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { url } = yield* answer(status, body, headers);
    return yield* Effect.flip(ask(`${url}/v1`, {}, { secret: { key: "KEY" } }).call);
  });

const good = sseBody(chunk({ content: "Hello" }), chunk({ content: " world" }, "stop"), "[DONE]");

describe("a call over HTTP", () => {
  it.live("posts the request to the path of the protocol with the key as a bearer", () =>
    Effect.gen(function* () {
      const { url, seen } = yield* answer(200, good, { "content-type": "text/event-stream" });
      const asked = ask(`${url}/v1/?api-version=2`, {}, { secret: { key: "PASTED" } });
      const response = yield* asked.call;
      assert.strictEqual(Message.textOf(response.message), "Hello world");
      assert.strictEqual(asked.seen.joined("text"), "Hello world");
      const [received] = seen.requests;
      assert.strictEqual(received?.url, "/v1/chat/completions?api-version=2");
      assert.strictEqual(received?.headers.authorization, `Bearer ${key}`);
      assert.deepNestedInclude(JSON.parse(received?.body ?? ""), { model: "tiny", "messages[0].content": "Write." });
    }).pipe(provided),
  );

  it.live("repeats no key that the server says, in one piece or over two", () =>
    Effect.gen(function* () {
      const said = [`It is ${key.slice(0, 9)}`, `${key.slice(9)} or ${key}.`];
      const { url } = yield* answer(200, sseBody(chunk({ content: said[0] }), chunk({ content: said[1] }, "stop")));
      const asked = ask(`${url}/v1`, {}, { secret: { key: "KEY" } });
      const response = yield* asked.call;
      assert.strictEqual(Message.textOf(response.message), "It is [redacted] or [redacted].");
      assert.strictEqual(asked.seen.joined("text"), "It is [redacted] or [redacted].");
    }).pipe(provided),
  );

  it.effect("says why its secret cannot be read, with what the store advises", () =>
    Effect.gen(function* () {
      const locked = new Unavailable({ operation: "resolve", kind: "other", detail: "Unlock the keyring." });
      const fault = yield* ask("http://127.0.0.1:9", {}, { secret: { key: "KEY" } }).call.pipe(
        Effect.flip,
        Effect.provide(Gateway.layer().pipe(Layer.provide(gateways.noTransport))),
        Effect.provideService(SecretStore, {
          resolve: () => Effect.fail(locked),
          has: () => Effect.fail(locked),
          keys: Effect.fail(locked),
        }),
      );
      assert.strictEqual(fault.detail, "the secret KEY cannot be read (other): Unlock the keyring.");
    }),
  );

  it.live("sends no credentials to an endpoint without a secret", () =>
    Effect.gen(function* () {
      const { url, seen } = yield* answer(200, good);
      yield* ask(url).call;
      assert.notProperty(seen.requests[0]?.headers ?? {}, "authorization");
    }).pipe(provided),
  );

  it.live("reads one body whether or not it asked for a stream", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ choices: [{ message: { content: "whole" }, finish_reason: "stop" }] });
      const { url } = yield* answer(200, body, { "content-type": "text/plain" });
      for (const stream of [true, false]) {
        const asked = ask(url, { stream });
        assert.strictEqual(Message.textOf((yield* asked.call).message), "whole");
        assert.strictEqual(asked.seen.joined("text"), "whole");
      }
    }).pipe(provided),
  );

  it.live("takes a stream as finished at its end mark, although the server keeps the connection open", () =>
    Effect.gen(function* () {
      const { url } = yield* servers.http((response) => response.write(good));
      assert.strictEqual((yield* ask(url).call).finish, "stop");
    }).pipe(Effect.provide(gateways.layer({}, { idleMs: 60_000 }))),
  );

  it.live("takes a stream as whole after its finish reason, although the connection breaks", () =>
    Effect.gen(function* () {
      const { url } = yield* servers.http((response) => {
        response.write(sseBody(chunk({ content: "a" }, "stop")), () => response.destroy());
      });
      assert.strictEqual((yield* ask(url).call).finish, "stop");
    }).pipe(provided),
  );
});

describe("an answer whose stream stays open", () => {
  const open = (body: string) =>
    Layer.succeed(Transport)(
      Transport.of({
        send: (_, reader) =>
          Effect.suspend(() => {
            reader.head({ status: 200, headers: {} });
            reader.chunk(new TextEncoder().encode(body));
            return Effect.never;
          }),
      }),
    );
  const gemini = { candidates: [{ content: { parts: [{ text: "Hello" }] }, finishReason: "STOP" }] };
  const bodies = [
    ["openai-chat", sseBody(chunk({ content: "Hello" }), chunk({}, "stop"))],
    ["gemini-generate-content", sseBody(gemini)],
  ] as const;
  for (const [format, body] of bodies) {
    it.effect(`is given after five seconds, in ${format}`, () =>
      Effect.gen(function* () {
        const asked = request();
        const calling = yield* ModelGateway.use((gateway) =>
          gateway.generate({ ...asked, binding: { ...asked.binding, format } }, () => undefined),
        ).pipe(Effect.forkChild({ startImmediately: true }));
        yield* TestClock.adjust(4999);
        assert.isUndefined(calling.pollUnsafe());
        yield* TestClock.adjust(1);
        assert.strictEqual(Message.textOf((yield* Fiber.join(calling)).message), "Hello");
      }).pipe(Effect.provide(Gateway.layer().pipe(Layer.provide([gateways.secrets({}), open(body)])))),
    );
  }
});

describe("the status of a refusal", () => {
  const reasons: ReadonlyArray<readonly [number, Readonly<Record<string, string>>, object]> = [
    [301, {}, { _tag: "Rejected", status: 301 }],
    [400, {}, { _tag: "Rejected", status: 400 }],
    [401, {}, { _tag: "Unauthorized", status: 401 }],
    [402, {}, { _tag: "Rejected", status: 402 }],
    [403, {}, { _tag: "Unauthorized", status: 403 }],
    [404, {}, { _tag: "Rejected", status: 404 }],
    [408, {}, { _tag: "Transient", status: 408 }],
    [422, {}, { _tag: "Rejected", status: 422 }],
    [425, {}, { _tag: "Transient", status: 425 }],
    [429, {}, { _tag: "RateLimited", status: 429 }],
    [429, { "retry-after": "2" }, { _tag: "RateLimited", status: 429, retryAfterMs: 2000 }],
    [429, { "retry-after-ms": "350" }, { _tag: "RateLimited", status: 429, retryAfterMs: 350 }],
    [429, { "retry-after-ms": "9".repeat(310) }, { _tag: "RateLimited", status: 429, retryAfterMs: 600_000 }],
    [500, {}, { _tag: "Transient", status: 500 }],
    [503, { "retry-after": "0.5" }, { _tag: "Transient", status: 503, retryAfterMs: 500 }],
    [529, {}, { _tag: "Transient", status: 529 }],
  ];
  for (const [status, headers, expected] of reasons) {
    it.live(`${status} ${JSON.stringify(headers)} is ${JSON.stringify(expected)}`, () =>
      Effect.gen(function* () {
        const fault = yield* faultOf(status, '{"error":{"message":"because"}}', headers);
        assert.deepStrictEqual(fault.reason, expected as never);
        assert.include(fault.detail, "because");
      }).pipe(provided),
    );
  }

  it.live("may ask for a wait that no retry keeps to, which is told", () =>
    Effect.gen(function* () {
      const fault = yield* faultOf(503, "busy", { "retry-after": "7200" });
      assert.deepStrictEqual(fault.reason, { _tag: "Transient", status: 503, retryAfterMs: 600_000 });
      assert.strictEqual(fault.detail, "busy; the server asks for a wait of 7200 seconds");
      const dated = yield* faultOf(429, "", { "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" });
      assert.deepStrictEqual(dated.reason, { _tag: "RateLimited", status: 429, retryAfterMs: 600_000 });
    }).pipe(provided),
  );

  it.live("may lead elsewhere, which is told without its query", () =>
    Effect.gen(function* () {
      const fault = yield* faultOf(301, "moved", { location: "https://models.test/v2?key=a#b" });
      assert.deepStrictEqual(fault.reason, { _tag: "Rejected", status: 301 });
      assert.strictEqual(
        fault.detail,
        "moved; the server redirects to https://models.test/v2, which is not followed: write that address into the base URL",
      );
    }).pipe(provided),
  );

  it.live("may ask for a wait until a date", () =>
    Effect.gen(function* () {
      const date = new Date(Date.now() + 60_000).toUTCString();
      const { reason } = yield* faultOf(429, "", { "retry-after": date });
      const wait = reason._tag === "RateLimited" ? (reason.retryAfterMs ?? 0) : 0;
      assert.isAbove(wait, 50_000);
      assert.isAtMost(wait, 60_000);
      const past = yield* faultOf(503, "", { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" });
      assert.deepStrictEqual(past.reason, { _tag: "Transient", status: 503, retryAfterMs: 0 });
      const nonsense = yield* faultOf(429, "", { "retry-after": "soon" });
      assert.deepStrictEqual(nonsense.reason, { _tag: "RateLimited", status: 429 });
    }).pipe(provided),
  );
});

describe("the detail of a fault", () => {
  it.live("never shows the key, however a server echoes it", () =>
    Effect.gen(function* () {
      const echoes = [
        `key ${key} is bad`,
        JSON.stringify({ error: `Bearer ${key}` }),
        encodeURIComponent(key),
        `${" ".repeat(16_370)}${key}`,
        key.repeat(1000),
        `${"x".repeat(505)}${key}`,
      ];
      for (const echo of echoes) {
        for (const status of [401, 200]) {
          const fault = yield* faultOf(status, echo);
          const shown = JSON.stringify(fault) + fault.detail;
          assert.notInclude(shown, "0123456789");
          assert.notInclude(shown, "sk/live");
        }
      }
      const inStream = yield* faultOf(200, sseBody(chunk({ content: "a" }), `{"oops": "${key}`));
      assert.notInclude(inStream.detail, "0123456789");
      assert.include(inStream.detail, "[redacted]");
    }).pipe(provided),
  );

  it.live("has at most 512 bytes of the body, in whole characters and without control characters", () =>
    Effect.gen(function* () {
      const fault = yield* faultOf(500, `\u001B[31m${"é🙂".repeat(10_000)}`);
      const size = new TextEncoder().encode(fault.detail).length;
      assert.isAtMost(size, 512);
      assert.isAbove(size, 500);
      assert.notInclude(fault.detail, "\uFFFD");
      assert.notInclude(fault.detail, "\u001B");
    }).pipe(provided),
  );

  it.live("names the endpoint without its query, and no long value of the query", () =>
    Effect.gen(function* () {
      const { url } = yield* answer(400, "no such token: 0123456789");
      const fault = yield* Effect.flip(ask(`${url}/v1?token=0123456789`).call);
      assert.strictEqual(fault.endpoint, `${url}/v1/chat/completions`);
      assert.strictEqual(fault.detail, "no such token: [redacted]");
    }).pipe(provided),
  );
});

describe("a response that is not what the protocol promises", () => {
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ["HTML", "<html><body>Welcome to the router</body></html>", "text/html"],
    ["an empty body", "", "application/json"],
    ["cut JSON", '{"choices":[{"message":{"content":"a', "application/json"],
    ["words", "upstream connect error", "text/plain"],
    ["a stream without events", ": hello\n\n", "text/event-stream"],
    ["an event that is no JSON", "data: {oops}\n\n", "text/event-stream"],
    ["JSON of another form", '{"result":"ok"}', "application/json"],
  ];
  for (const [what, body, type] of cases) {
    it.live(`such as ${what} is InvalidResponse`, () =>
      Effect.gen(function* () {
        const fault = yield* faultOf(200, body, { "content-type": type });
        assert.deepStrictEqual(fault.reason, { _tag: "InvalidResponse", status: 200 });
        assert.isAbove(fault.detail.length, 0);
      }).pipe(provided),
    );
  }

  it.live("such as a stream that ends early keeps what had arrived", () =>
    Effect.gen(function* () {
      const fault = yield* faultOf(200, sseBody(chunk({ content: "so far" })));
      assert.deepStrictEqual(fault.reason, { _tag: "Network", kind: "bodyInterrupted" });
      assert.strictEqual(fault.partial === undefined ? "" : Message.textOf(fault.partial.message), "so far");
    }).pipe(provided),
  );

  it.live("such as an error within a stream is named by its code, with what had arrived", () =>
    Effect.gen(function* () {
      const stream = (code: unknown) => sseBody(chunk({ content: "so far" }), { error: { code, message: "why" } });
      const transient = yield* faultOf(200, stream(502));
      assert.deepStrictEqual(transient.reason, { _tag: "Transient", status: 502 });
      assert.strictEqual(transient.partial === undefined ? "" : Message.textOf(transient.partial.message), "so far");
      assert.include(transient.detail, "why");
      assert.strictEqual((yield* faultOf(200, stream("invalid_request_error"))).reason._tag, "Rejected");
    }).pipe(provided),
  );

  it.live("such as a tool call without an id is InvalidToolCall", () =>
    Effect.gen(function* () {
      const call = { tool_calls: [{ index: 0, function: { name: "read", arguments: "{}" } }] };
      const fault = yield* faultOf(200, sseBody(chunk(call, "tool_calls")));
      assert.deepStrictEqual(fault.reason, { _tag: "InvalidToolCall" });
    }).pipe(provided),
  );
});

describe("a server that is not there or does not go on", () => {
  it.live("is a network fault of its kind", () =>
    Effect.gen(function* () {
      const port = yield* servers.unusedPort;
      const refused = yield* Effect.flip(ask(`http://127.0.0.1:${port}`).call);
      assert.deepStrictEqual(refused.reason, { _tag: "Network", kind: "connect" });
      assert.strictEqual(refused.endpoint, `http://127.0.0.1:${port}/chat/completions`);
      const nameless = yield* Effect.flip(ask("http://no-such-host.invalid").call);
      assert.deepStrictEqual(nameless.reason, { _tag: "Network", kind: "dns" });
      const silent = yield* servers.http(() => undefined);
      const late = yield* Effect.flip(ask(silent.url).call);
      assert.deepStrictEqual(late.reason, { _tag: "Network", kind: "timeout" });
    }).pipe(provided),
  );

  it.live("that stops within a stream is a timeout with what had arrived", () =>
    Effect.gen(function* () {
      const { url } = yield* servers.http((response) => response.write(sseBody(chunk({ content: "so far" }))));
      const fault = yield* Effect.flip(ask(url).call);
      assert.deepStrictEqual(fault.reason, { _tag: "Network", kind: "timeout" });
      assert.strictEqual(fault.partial === undefined ? "" : Message.textOf(fault.partial.message), "so far");
    }).pipe(provided),
  );

  it.live("that stops within an error body is the status that it had sent", () =>
    Effect.gen(function* () {
      const { url } = yield* servers.http((response) => response.writeHead(401).write("no"));
      assert.deepStrictEqual((yield* Effect.flip(ask(url).call)).reason, { _tag: "Unauthorized", status: 401 });
    }).pipe(provided),
  );

  it.live("is left at once when the call is interrupted", () =>
    Effect.gen(function* () {
      const { promise: asked, resolve } = Promise.withResolvers<void>();
      const { url, seen } = yield* servers.http(() => resolve());
      const fiber = yield* Effect.forkChild(ask(url).call, { startImmediately: true });
      yield* Effect.promise(() => asked);
      yield* Fiber.interrupt(fiber);
      yield* Effect.promise(() => seen.closed);
    }).pipe(Effect.provide(gateways.layer())),
  );
});

describe("a binding", () => {
  const notConfigured: ReadonlyArray<readonly [string, string | undefined, Partial<ModelBinding>, string]> = [
    ["of an unknown source", "http://127.0.0.1:9", { source: "nobody" }, "source"],
    [
      "of a format that its source does not speak",
      "http://127.0.0.1:9",
      { source: "gemini", format: "openai-chat" },
      "format",
    ],
    ["without an endpoint for a source that has none", undefined, {}, "endpoint"],
    ["with an endpoint that is no URL", "nonsense", {}, "endpoint"],
    ["with an endpoint of another scheme", "file:///etc/passwd", {}, "endpoint"],
    ["with credentials in its endpoint", "http://user:pass@127.0.0.1:9", {}, "endpoint"],
    ["without a secret for a source that needs one", undefined, { source: "openai" }, "secret"],
    ["with a secret that has no value", "http://127.0.0.1:9", { secret: { key: "ABSENT" } }, "secret"],
    ["with a secret that no header can hold", "http://127.0.0.1:9", { secret: { key: "BROKEN" } }, "secret"],
  ];
  for (const [what, baseUrl, binding, missing] of notConfigured) {
    it.effect(`${what} is NotConfigured (${missing}) before a byte is sent`, () =>
      Effect.gen(function* () {
        const fault = yield* Effect.flip(ask(baseUrl, {}, binding).call);
        assert.deepStrictEqual(fault.reason, { _tag: "NotConfigured", what: missing as never });
        assert.isAbove(fault.detail.length, 10);
        assert.notInclude(fault.detail, "pass");
      }).pipe(provided),
    );
  }

  it.live("of OpenAI goes to its base URL or the one given, with its own name for the output limit", () =>
    Effect.gen(function* () {
      const { url, seen } = yield* answer(200, good);
      const parameters = { maxOutputTokens: 5 };
      yield* ask(url, { parameters }, { source: "openai", secret: { key: "KEY" } }).call;
      assert.include(seen.requests[0]?.body, '"max_completion_tokens":5');
      assert.strictEqual(openAi.baseUrl, "https://api.openai.com/v1");
    }).pipe(provided),
  );
});

describe("a session", () => {
  const text = (content: string) => Message.text("user", content);

  it.live("sends the whole history each time, and anew after it was closed", () =>
    Effect.gen(function* () {
      const { url, seen } = yield* answer(200, good);
      const gateway = yield* ModelGateway;
      const first = [text("a"), ...toolRound("c1", "r1")];
      const messages = [first, [...first, text("b")], [text("z")]];
      const send = (list: ReadonlyArray<Message.Message>) => ask(url, { messages: list }).call;
      for (const list of messages) {
        yield* send(list);
        yield* gateway.closeSession("run_1:inv_root");
        yield* send(list);
      }
      const bodies = seen.requests.map(({ body }) => body);
      assert.deepStrictEqual([bodies[0], bodies[2], bodies[4]], [bodies[1], bodies[3], bodies[5]]);
      assert.deepStrictEqual(
        bodies.map((body) => (JSON.parse(body) as { messages: ReadonlyArray<unknown> }).messages.length),
        [3, 3, 4, 4, 1, 1],
      );
    }).pipe(provided),
  );

  it.live("serves two calls at once without mixing their bodies", () =>
    Effect.gen(function* () {
      const { url, seen } = yield* answer(200, good);
      const message = text("x".repeat(300_000));
      const call = (temperature: number) => ask(url, { messages: [message], parameters: { temperature } }).call;
      yield* Effect.all([call(0.1), call(0.2), call(0.3)], { concurrency: 3 });
      const temperatures = seen.requests.map(({ body }) => (JSON.parse(body) as { temperature: number }).temperature);
      assert.deepStrictEqual(
        temperatures.toSorted((a, b) => a - b),
        [0.1, 0.2, 0.3],
      );
    }).pipe(provided),
  );

  it.live("refuses a broken transcript before it is sent, and goes on with a good one", () =>
    Effect.gen(function* () {
      const { url, seen } = yield* answer(200, good);
      const [calling, result] = toolRound("c1", "r1");
      const fault = yield* Effect.flip(ask(url, { messages: [text("a"), calling] }).call);
      assert.deepStrictEqual(fault.reason, { _tag: "InvalidToolCall" });
      assert.include(fault.detail, "not sent");
      assert.strictEqual(seen.requests.length, 0);
      yield* ask(url, { messages: [text("a"), calling, result] }).call;
      assert.strictEqual(seen.requests.length, 1);
    }).pipe(provided),
  );
});

describe("a message that came in the format of the request", () => {
  const stray = {
    "openai-responses": '{"type":"message","content":[]}',
    "anthropic-messages": '{"type":"text","text":"a"}',
    "gemini-generate-content": '{"text":"a"}',
    "gemini-interactions": '{"type":"model_output","content":[]}',
  } as const;
  for (const format of [
    "openai-responses",
    "anthropic-messages",
    "gemini-generate-content",
    "gemini-interactions",
  ] as const) {
    it.live(`is not sent in ${format} when the native part of a call is lost`, () =>
      Effect.gen(function* () {
        const { url, seen } = yield* answer(200, good);
        const [calling, result] = toolRound("c1", "r1");
        const native = { type: "native", format, source: "custom", model: "tiny", json: stray[format] } as const;
        const messages = [Message.text("user", "a"), { ...calling, parts: [native, ...calling.parts] }, result];
        const fault = yield* Effect.flip(ask(url, { messages }, { format }).call);
        assert.deepStrictEqual(fault.reason, { _tag: "NativeMetadataLost" });
        assert.include(fault.detail, "c1");
        assert.strictEqual(seen.requests.length, 0);
      }).pipe(provided),
    );
  }
});

describe("a gateway", () => {
  it.effect("names the formats of its sources and scripted", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.make({ sources: [{ ...custom, protocols: custom.protocols.slice(0, 1) }] });
      assert.deepStrictEqual([...gateway.formats], ["openai-chat", "scripted"]);
    }).pipe(Effect.provide([gateways.secrets({}), gateways.noTransport])),
  );
});
