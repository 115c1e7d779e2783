import type { Message } from "@cahier/domain/model/Message";
import * as Messages from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ProviderState } from "@cahier/domain/model/ProviderState";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Layer from "effect/Layer";
import * as Gateway from "../src/Gateway.ts";
import { SocketRefused } from "../src/transport/SocketTransport.ts";
import { TransportFault } from "../src/transport/Transport.ts";
import * as gateways from "./support/gateways.ts";
import { collector, request } from "./support/requests.ts";
import * as sockets from "./support/sockets.ts";

const binding = {
  source: "custom",
  format: "openai-responses",
  modelId: "tiny",
  baseUrl: "https://models.test/v1",
  transport: "websocket",
  secret: { key: "KEY" },
} as const;

const user = Messages.text("user", "Read.");
const result: Message = {
  role: "tool",
  parts: [{ type: "toolResult", callId: "c1" as never, name: "read", content: "done", isError: false }],
};
const outputItem = { type: "function_call_output", call_id: "c1", output: "done" };

const tools = [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }];

const asking = (changes: Partial<ModelRequest> = {}): ModelRequest =>
  request({ binding, messages: [user], tools, ...changes });

const ask = (changes: Partial<ModelRequest> = {}) =>
  ModelGateway.use((gateway) => gateway.generate(asking(changes), () => undefined));

const withSockets = (fake: ReturnType<typeof sockets.played>) =>
  Effect.provide(
    Gateway.layer().pipe(
      Layer.provide([
        gateways.secrets({ KEY: "sk-secret-0123", OTHER: "sk-other-0123" }),
        gateways.noTransport,
        fake.layer,
      ]),
    ),
  );

const answeredBy = (response: { readonly message: Message }): ReadonlyArray<Message> => [
  user,
  response.message,
  result,
];

const broken = (kind: TransportFault["kind"] = "request") => new TransportFault({ kind, detail: "gone" });

const state = (changes: Partial<ProviderState> = {}): ProviderState => ({
  source: "custom",
  format: "openai-responses",
  transport: "responses_websocket",
  messageCursor: 1,
  previousResponseId: "r1",
  nativeContinuation: { format: "openai-responses", partCount: 1 },
  ...changes,
});

const inputOf = (frame: sockets.Frame | undefined): ReadonlyArray<unknown> =>
  (frame?.body["input"] ?? []) as ReadonlyArray<unknown>;

/** A history whose answer came before a restart. */
const earlier: ReadonlyArray<Message> = [
  user,
  {
    role: "assistant",
    parts: [
      {
        type: "native",
        format: "openai-responses",
        source: "custom",
        model: "tiny",
        json: '{"type":"function_call","call_id":"c1","name":"read","arguments":"{}"}',
      },
      { type: "toolCall", callId: "c1" as never, name: "read", arguments: "{}" },
    ],
  },
  result,
];

describe("a Responses session over a WebSocket", () => {
  it.effect("opens one socket, warms it up without input, and then sends only what is new", () => {
    const fake = sockets.played([sockets.warmed(), sockets.calls("r1", "c1"), sockets.says("r2", "Done.")]);
    return Effect.gen(function* () {
      const first = yield* ask();
      const messages = answeredBy(first);
      const seen = collector();
      const second = yield* ModelGateway.use((gateway) =>
        gateway.generate(asking({ messages, position: 1 }), seen.onDelta),
      );
      assert.strictEqual(seen.joined("text"), "Done.");
      assert.strictEqual(Messages.textOf(second.message), "Done.");
      const [warmUp, one, two] = fake.frames.map(({ body }) => body);
      const settings = {
        type: "response.create",
        model: "tiny",
        store: false,
        include: ["reasoning.encrypted_content"],
        tool_choice: "auto",
        tools: [
          { type: "function", name: "read", description: "Reads.", parameters: { type: "object" }, strict: false },
        ],
      };
      assert.deepStrictEqual(warmUp, { ...settings, input: [], generate: false });
      assert.deepStrictEqual(one, {
        ...settings,
        input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Read." }] }],
        previous_response_id: "warm",
      });
      assert.deepStrictEqual(two, { ...settings, input: [outputItem], previous_response_id: "r1" });
      assert.strictEqual(fake.opened.length, 1);
      assert.strictEqual(fake.opened[0]?.url.href, "wss://models.test/v1/responses");
      assert.deepStrictEqual(fake.opened[0]?.headers, {
        "openai-beta": "responses_websockets=2026-02-06",
        authorization: "Bearer sk-secret-0123",
      });
    }).pipe(withSockets(fake));
  });

  it.effect("leaves in each response the state from which another process goes on", () => {
    const fake = sockets.played([sockets.warmed(), sockets.calls("r1", "c1")]);
    return Effect.gen(function* () {
      const { providerState } = yield* ask();
      assert.deepStrictEqual(providerState, {
        source: "custom",
        format: "openai-responses",
        transport: "responses_websocket",
        messageCursor: 1,
        lastResponseId: "r1",
        previousResponseId: "r1",
        nativeContinuation: { format: "openai-responses", partCount: 1 },
      });
    }).pipe(withSockets(fake));
  });

  it.effect("goes on from a state of before a restart, without a warm-up", () => {
    const fake = sockets.played([sockets.says("r2", "Done.")]);
    return Effect.gen(function* () {
      const response = yield* ask({ messages: earlier, providerState: state() });
      assert.isUndefined(response.warnings);
      assert.deepInclude(fake.frames[0]?.body, { input: [outputItem], previous_response_id: "r1" });
    }).pipe(withSockets(fake));
  });

  it.effect("tells a server that has forgotten everything once more, and says so", () => {
    const fake = sockets.played([sockets.errs("previous_response_not_found"), sockets.says("r2", "Done.")]);
    return Effect.gen(function* () {
      const response = yield* ask({ messages: earlier, providerState: state() });
      assert.deepStrictEqual(response.warnings, [
        "the server had forgotten the session, so the whole conversation was sent again",
      ]);
      const last = fake.frames.at(-1);
      assert.strictEqual(inputOf(last).length, 3);
      assert.notProperty(last?.body, "previous_response_id");
      assert.strictEqual(last?.socket, 2);
      assert.deepStrictEqual([...fake.open], [2]);
    }).pipe(withSockets(fake));
  });

  it.effect("fails when the server forgets again", () => {
    const forgets = sockets.errs("previous_response_not_found", 404);
    const fake = sockets.played([forgets, forgets]);
    return Effect.gen(function* () {
      const fault = yield* Effect.flip(ask({ messages: earlier, providerState: state() }));
      assert.deepStrictEqual(fault.reason, { _tag: "Rejected", status: 404 });
      assert.strictEqual(fake.frames.length, 2);
      assert.strictEqual(fake.open.size, 0);
    }).pipe(withSockets(fake));
  });

  it.effect("connects anew when the server has closed the socket between calls, and goes on", () => {
    const fake = sockets.played([
      sockets.warmed(),
      { ...sockets.calls("r1", "c1"), closes: true },
      sockets.says("r2", "Done."),
    ]);
    return Effect.gen(function* () {
      const first = yield* ask();
      yield* ask({ messages: answeredBy(first), position: 1 });
      const last = fake.frames.at(-1);
      assert.strictEqual(last?.socket, 2);
      assert.deepInclude(last?.body, { input: [outputItem], previous_response_id: "r1" });
    }).pipe(withSockets(fake));
  });

  for (const [what, answer] of [
    ["breaks before it answers", { fault: broken() }],
    ["is used up", sockets.errs("websocket_connection_limit_reached")],
  ] as const) {
    it.effect(`connects anew when a socket that was used before ${what}`, () => {
      const fake = sockets.played([sockets.warmed(), sockets.calls("r1", "c1"), answer, sockets.says("r2", "Done.")]);
      return Effect.gen(function* () {
        const first = yield* ask();
        const second = yield* ask({ messages: answeredBy(first), position: 1 });
        assert.strictEqual(Messages.textOf(second.message), "Done.");
        assert.strictEqual(fake.frames.at(-1)?.socket, 2);
      }).pipe(withSockets(fake));
    });
  }

  it.effect("fails when a new socket breaks, and drops it", () => {
    const fake = sockets.played([
      sockets.warmed(),
      { fault: broken("bodyInterrupted") },
      sockets.warmed(),
      sockets.says("r", "a"),
    ]);
    return Effect.gen(function* () {
      const fault = yield* Effect.flip(ask());
      assert.deepStrictEqual(fault.reason, { _tag: "Network", kind: "bodyInterrupted" });
      assert.strictEqual(fake.open.size, 0);
      yield* ask();
      assert.strictEqual(fake.opened.length, 2);
    }).pipe(withSockets(fake));
  });

  it.effect("asks a server that knows no warm-up without one", () => {
    const fake = sockets.played([sockets.errs("unknown_parameter"), sockets.says("r1", "Done.")]);
    return Effect.gen(function* () {
      yield* ask();
      assert.notProperty(fake.frames[1]?.body, "previous_response_id");
      assert.strictEqual(fake.frames[1]?.socket, 2);
    }).pipe(withSockets(fake));
  });

  it.effect("asks a server that ignores the warm-up without one, soon, and never warms that session up again", () => {
    const fake = sockets.played([
      { fault: broken("timeout") },
      { ...sockets.says("r1", "Done."), closes: true },
      sockets.says("r2", "Again."),
    ]);
    return Effect.gen(function* () {
      yield* ask();
      const again = yield* ask({ position: 1 });
      assert.strictEqual(Messages.textOf(again.message), "Again.");
      assert.deepStrictEqual(
        fake.frames.map(({ body, deadlines, socket }) => [socket, body["generate"], deadlines.firstByteMs]),
        [
          [1, false, 10_000],
          [2, undefined, 300_000],
          [3, undefined, 300_000],
        ],
      );
    }).pipe(withSockets(fake));
  });

  for (const [status, tag] of [
    [401, "Unauthorized"],
    [429, "RateLimited"],
    [503, "Transient"],
  ] as const) {
    it.effect(`takes the status ${status} of a warm-up for that of the call, and asks no second time`, () => {
      const fake = sockets.played([sockets.errs("no", status)]);
      return Effect.gen(function* () {
        const fault = yield* Effect.flip(ask());
        assert.strictEqual(fault.reason._tag, tag);
        assert.strictEqual(fake.frames.length, 1);
      }).pipe(withSockets(fake));
    });
  }

  it.effect("goes without a warm-up once a server has failed at one", () => {
    const fake = sockets.played([sockets.errs("server_error", 500), sockets.says("r1", "Done.")]);
    return Effect.gen(function* () {
      yield* Effect.flip(ask());
      assert.strictEqual(Messages.textOf((yield* ask()).message), "Done.");
    }).pipe(withSockets(fake));
  });

  it.effect("tells everything where the answer is no longer the one that the server gave", () => {
    const fake = sockets.played([
      sockets.warmed(),
      sockets.says("r1", "Original."),
      sockets.says("r2", "b"),
      sockets.warmed(),
      sockets.says("r3", "c"),
    ]);
    return Effect.gen(function* () {
      const next = Messages.text("user", "And?");
      yield* ask();
      yield* ask({ messages: [user, Messages.text("assistant", "Edited."), next], position: 1 });
      assert.notProperty(fake.frames[2]?.body, "previous_response_id");
      assert.strictEqual(inputOf(fake.frames[2]).length, 3);
      assert.include(JSON.stringify(fake.frames[2]?.body), "Edited.");
      const [, edited] = earlier;
      const written: Message = {
        role: "assistant",
        parts: edited?.parts.filter(({ type }) => type !== "native") ?? [],
      };
      yield* ask({ sessionId: "run_2:inv_root", messages: [user, written, result], providerState: state() });
      assert.strictEqual(fake.frames.at(-1)?.body["previous_response_id"], "warm");
      assert.strictEqual(inputOf(fake.frames.at(-1)).length, 3);
    }).pipe(withSockets(fake));
  });

  it.effect("tells the server of answers that are not its own, behind the one that is", () => {
    const fake = sockets.played([sockets.warmed(), sockets.says("r1", "Mine."), sockets.says("r2", "b")]);
    return Effect.gen(function* () {
      const { message } = yield* ask();
      const others = [Messages.text("assistant", "Another's."), Messages.text("user", "And?")];
      yield* ask({ messages: [user, structuredClone(message), ...others], position: 1 });
      assert.strictEqual(fake.frames[2]?.body["previous_response_id"], "r1");
      assert.strictEqual(inputOf(fake.frames[2]).length, 2);
      assert.include(JSON.stringify(fake.frames[2]?.body), "Another's.");
      assert.notInclude(JSON.stringify(fake.frames[2]?.body), "Mine.");
    }).pipe(withSockets(fake));
  });

  const failures = [
    [{ type: "response.failed", response: { id: "r", error: { code: "server_error", message: "no" } } }, "Transient"],
    [{ type: "error", status: 429, error: { code: "rate_limit_exceeded", message: "slow" } }, "RateLimited"],
    [{ type: "error", status: 401, error: { message: "who?" } }, "Unauthorized"],
  ] as const;
  for (const [event, tag] of failures) {
    it.effect(`takes ${JSON.stringify(event)} as ${tag} and drops the socket`, () => {
      const fake = sockets.played([sockets.warmed(), { events: [event] }]);
      return Effect.gen(function* () {
        const fault = yield* Effect.flip(ask());
        assert.strictEqual(fault.reason._tag, tag);
        assert.strictEqual(fake.open.size, 0);
      }).pipe(withSockets(fake));
    });
  }

  it.effect("keeps the partial text of a response that was cut", () => {
    const cut = (sockets.says("r1", "Half").events ?? []).slice(0, 2);
    const fake = sockets.played([sockets.warmed(), { events: cut, fault: broken("bodyInterrupted") }]);
    return Effect.gen(function* () {
      const fault = yield* Effect.flip(ask());
      assert.strictEqual(fault.partial && Messages.textOf(fault.partial.message), "Half");
    }).pipe(withSockets(fake));
  });

  it.effect("ends in the status of a handshake that was refused, with the key hidden", () => {
    const refusal = new SocketRefused({ head: { status: 401, headers: {} }, body: "bad sk-secret-0123" });
    const fake = sockets.played([], [refusal]);
    return Effect.gen(function* () {
      const fault = yield* Effect.flip(ask());
      assert.deepStrictEqual(fault.reason, { _tag: "Unauthorized", status: 401 });
      assert.strictEqual(fault.detail, "bad [redacted]");
    }).pipe(withSockets(fake));
  });

  it.effect("ends in a network fault when no socket opens, without another way", () => {
    const fake = sockets.played([], [broken("connect")]);
    return Effect.gen(function* () {
      const fault = yield* Effect.flip(ask());
      assert.deepStrictEqual(fault.reason, { _tag: "Network", kind: "connect" });
    }).pipe(withSockets(fake));
  });

  const invalid: ReadonlyArray<readonly [string, ProviderState]> = [
    ["a cursor behind the messages", state({ messageCursor: 4 })],
    ["a cursor that is no number of messages", state({ messageCursor: Number.NaN })],
    [
      "no response",
      { source: "custom", format: "openai-responses", transport: "responses_websocket", messageCursor: 1 },
    ],
  ];
  for (const [what, providerState] of invalid) {
    it.effect(`refuses a provider state with ${what}, and sends nothing`, () => {
      const fake = sockets.played([]);
      return Effect.gen(function* () {
        const fault = yield* Effect.flip(ask({ messages: earlier, providerState }));
        assert.deepStrictEqual(fault.reason, { _tag: "ProviderStateInvalid" });
        assert.strictEqual(fake.opened.length, 0);
      }).pipe(withSockets(fake));
    });
  }

  it.effect("tells everything where the last answer was not kept, or the state is of another connection", () => {
    const fake = sockets.played([
      sockets.warmed(),
      sockets.says("r1", "a"),
      sockets.says("r2", "b"),
      sockets.warmed(),
      sockets.says("r3", "c"),
    ]);
    return Effect.gen(function* () {
      yield* ask();
      yield* ask({ position: 1 });
      assert.notProperty(fake.frames[2]?.body, "previous_response_id");
      yield* ask({ sessionId: "run_2:inv_root", messages: earlier, providerState: state({ source: "openai" }) });
      assert.strictEqual(inputOf(fake.frames[4]).length, 3);
    }).pipe(withSockets(fake));
  });

  it.effect("does not use a socket for another key", () => {
    const fake = sockets.played([sockets.warmed(), sockets.says("r1", "a"), sockets.warmed(), sockets.says("r2", "b")]);
    return Effect.gen(function* () {
      yield* ask();
      yield* ask({ binding: { ...binding, secret: { key: "OTHER" } } });
      assert.strictEqual(fake.opened[1]?.headers["authorization"], "Bearer sk-other-0123");
      assert.deepStrictEqual([...fake.open], [2]);
    }).pipe(withSockets(fake));
  });

  it.effect("gives a second call at once a socket of its own, and closes it afterwards", () => {
    const fake = sockets.played([sockets.warmed(), { hangs: true }, sockets.warmed(), sockets.says("r2", "b")]);
    return Effect.gen(function* () {
      const first = yield* Effect.forkChild(ask(), { startImmediately: true });
      const second = yield* ask();
      assert.strictEqual(Messages.textOf(second.message), "b");
      assert.deepStrictEqual([...fake.open], [1]);
      yield* Fiber.interrupt(first);
      assert.strictEqual(fake.open.size, 0);
    }).pipe(withSockets(fake));
  });

  it.effect("is closed with its session", () => {
    const fake = sockets.played([sockets.warmed(), sockets.says("r1", "a")]);
    return Effect.gen(function* () {
      yield* ask();
      yield* ModelGateway.use((gateway) => gateway.closeSession("run_1:inv_root"));
      assert.strictEqual(fake.open.size, 0);
    }).pipe(withSockets(fake));
  });

  it.effect("needs a format and a transport that have it", () =>
    Effect.gen(function* () {
      const other = yield* Effect.flip(ask({ binding: { ...binding, format: "openai-chat" } }));
      assert.deepStrictEqual(other.reason, { _tag: "NotConfigured", what: "format" });
      const none = yield* Effect.flip(ask());
      assert.deepStrictEqual(none.reason, { _tag: "NotConfigured", what: "endpoint" });
    }).pipe(
      Effect.provide(Gateway.layer().pipe(Layer.provide([gateways.secrets({ KEY: "k" }), gateways.noTransport]))),
    ),
  );
});
