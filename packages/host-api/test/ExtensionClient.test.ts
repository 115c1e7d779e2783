import { assert, describe, it } from "@effect/vitest";
import type { SourceOutcome } from "@cahier/ports/ToolSource";
import * as MemoryExtensionTools from "@cahier/testkit/doubles/MemoryExtensionTools";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type { ExtensionClientError, ToolCall, ToolFunction } from "../src/extension/ExtensionClient.ts";
import * as Host from "./support/Host.ts";
import * as RawPeer from "./support/RawPeer.ts";

const connected = Effect.gen(function* () {
  const tools = MemoryExtensionTools.make();
  const host = yield* Host.make(tools);
  return { tools, host, client: host.connect() };
});

/** A host with a client that has registered this function. */
const offering = Effect.fnUntraced(function* (run: ToolFunction) {
  const { tools, host, client } = yield* connected;
  const registered = yield* Effect.promise(() => client.register(RawPeer.form, run));
  return { tools, host, client, registered };
});

const refusalOf = (promise: () => Promise<unknown>): Effect.Effect<ExtensionClientError> =>
  Effect.flip(Effect.tryPromise({ try: promise, catch: (error) => error as ExtensionClientError })).pipe(Effect.orDie);

const codeOf = (outcome: SourceOutcome) =>
  outcome._tag === "Answered" ? [outcome.errorCode, outcome.content] : [outcome._tag, outcome.code];

describe("A client of the bridge", () => {
  it.effect("registers a function as a tool, and answers calls with what it gives", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = [];
      const { tools, client, registered } = yield* offering((given, { signal, ...call }) => {
        seen.push(given, call, signal.aborted);
        return { colour: "red" };
      });
      assert.strictEqual(registered.toolId, RawPeer.toolId);
      assert.strictEqual(client.state(), "connected");
      const outcome = yield* RawPeer.call(tools, { text: "a" });
      assert.deepStrictEqual(outcome, { _tag: "Answered", content: '{"colour":"red"}' });
      assert.deepStrictEqual(seen, [
        { text: "a" },
        {
          toolId: RawPeer.toolId,
          runId: "run_test",
          invocationId: "inv_root",
          callId: "call of a model",
          target: "chat",
        },
        false,
      ]);
    }),
  );

  for (const [what, run, content] of [
    ["a text as it is", () => "<b>red</b>", "<b>red</b>"],
    ["a promise by what it comes to", async () => ["red"], '["red"]'],
    ["undefined as null", () => undefined, "null"],
  ] as const) {
    it.effect(`gives ${what}`, () =>
      Effect.gen(function* () {
        const { tools } = yield* offering(run);
        assert.deepStrictEqual(yield* RawPeer.call(tools), { _tag: "Answered", content });
      }),
    );
  }

  const cyclic: Array<unknown> = [];
  cyclic.push(cyclic);
  const failures: ReadonlyArray<readonly [string, ToolFunction, string]> = [
    ["throws", () => thrown(new TypeError("no ink")), "no ink"],
    ["throws nothing", () => thrown(undefined), "undefined"],
    ["throws what has no words", () => thrown(Object.create(null)), "The tool failed without a word."],
    ["rejects", () => Promise.reject(new Error("no ink")), "no ink"],
    ["gives a function", () => () => 1, "The tool gave something that is no JSON."],
    ["gives a big integer", () => 1n, "The tool gave something that is no JSON."],
    ["gives not a number", () => ({ a: Number.NaN }), "The tool gave something that is no JSON."],
    ["gives a date", () => new Date(0), "The tool gave something that is no JSON."],
    ["gives a cycle", () => cyclic, "The tool gave something that is no JSON."],
    [
      "gives more than a message holds",
      () => "x".repeat(4 * 1024 * 1024),
      "The tool gave more than the 4194304 bytes of a message.",
    ],
  ];
  for (const [what, run, content] of failures) {
    it.effect(`says so when its function ${what}`, () =>
      Effect.gen(function* () {
        const { tools } = yield* offering(run);
        assert.deepStrictEqual(codeOf(yield* RawPeer.call(tools)), ["extension.tool_error", content]);
      }),
    );
  }

  it.effect("aborts the signal of a call that nobody waits for any more, and answers it no more", () =>
    Effect.gen(function* () {
      const [begun, aborted] = [Deferred.makeUnsafe<ToolCall>(), Deferred.makeUnsafe<void>()];
      const { tools } = yield* offering((given, call) => {
        if (given["text"] === "quick") return "quick";
        Deferred.doneUnsafe(begun, Effect.succeed(call));
        return new Promise((resolve) => {
          call.signal.addEventListener("abort", () => {
            Deferred.doneUnsafe(aborted, Effect.void);
            resolve("too late");
          });
        });
      });
      const fiber = yield* Effect.forkChild(RawPeer.call(tools));
      yield* Deferred.await(begun);
      yield* Fiber.interrupt(fiber);
      yield* Deferred.await(aborted);
      assert.deepStrictEqual(yield* RawPeer.call(tools, { text: "quick" }), { _tag: "Answered", content: "quick" });
    }),
  );

  it.effect("switches its tools and takes them back", () =>
    Effect.gen(function* () {
      const { tools, registered } = yield* offering(() => "red");
      yield* Effect.promise(() => registered.setEnabled(false));
      assert.deepStrictEqual(codeOf(yield* RawPeer.call(tools)), ["NotSent", "extension.tool_unavailable"]);
      yield* Effect.promise(() => registered.setEnabled(true));
      assert.deepStrictEqual(codeOf(yield* RawPeer.call(tools)), [undefined, "red"]);
      yield* Effect.promise(registered.unregister);
      assert.deepStrictEqual(yield* tools.list, []);
    }),
  );

  it.effect("is told why a tool is refused, and may register another one", () =>
    Effect.gen(function* () {
      const { host, client } = yield* offering(() => "red");
      const duplicate = yield* refusalOf(() => client.register(RawPeer.form, () => "blue"));
      assert.strictEqual(duplicate.code, "extension.tool_duplicate");
      const second = host.connect();
      const refusing = yield* Effect.forkChild(refusalOf(() => second.register(RawPeer.form, () => "blue")));
      yield* Host.retries(host);
      host.hurry();
      const taken = yield* Fiber.join(refusing);
      assert.strictEqual(taken.code, "extension.tool_duplicate");
      const invalid = yield* refusalOf(() => second.register({ ...RawPeer.form, name: " " }, () => "blue"));
      assert.strictEqual(invalid.code, "extension.registration_invalid");
      yield* Effect.promise(() => second.register({ ...RawPeer.form, name: "other" }, () => "blue"));
    }),
  );

  it.effect("gives up when the host refuses its token, and says so to who registers", () =>
    Effect.gen(function* () {
      const { host } = yield* connected;
      const client = host.connect({ token: "another token" });
      const pending = yield* refusalOf(() => client.register(RawPeer.form, () => "red"));
      assert.deepStrictEqual([pending.code, client.state()], ["refused", "refused"]);
      assert.strictEqual((yield* refusalOf(() => client.register(RawPeer.form, () => "red"))).code, "refused");
      assert.isTrue(host.pauses.every(({ isOver, milliseconds }) => isOver || milliseconds > 30_000));
    }),
  );

  it.effect("is closed for good", () =>
    Effect.gen(function* () {
      const { tools, client } = yield* offering(() => "red");
      client.close();
      assert.strictEqual((yield* refusalOf(() => client.register(RawPeer.form, () => "red"))).code, "closed");
      yield* Effect.repeat(tools.list, { until: (listed) => listed.length === 0 });
    }),
  );
});

describe("A client whose connection breaks", () => {
  it.effect("comes again and registers its tools anew, as they were switched; what it worked on is lost", () =>
    Effect.gen(function* () {
      const [begun, aborted] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()];
      const { tools, host, client, registered } = yield* offering((given, { signal }) => {
        if (given["text"] === "quick") return "quick";
        signal.addEventListener("abort", () => Deferred.doneUnsafe(aborted, Effect.void));
        Deferred.doneUnsafe(begun, Effect.void);
        return new Promise(() => undefined);
      });
      yield* Effect.promise(() => client.register({ ...RawPeer.form, name: "off" }, () => "off"));
      const fiber = yield* Effect.forkChild(RawPeer.call(tools));
      yield* Deferred.await(begun);
      host.cut();
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Unknown");
      yield* Deferred.await(aborted);
      assert.strictEqual(client.state(), "waiting");
      yield* Effect.promise(() => registered.setEnabled(false));
      host.hurry();
      yield* Host.reaches(client, "connected");
      const listed = yield* Effect.repeat(tools.list, { until: (found) => found.length === 2 });
      assert.deepStrictEqual(
        listed.map(({ name, enabled }) => [name, enabled]),
        [
          ["colour", false],
          ["off", true],
        ],
      );
      yield* Effect.promise(() => registered.setEnabled(true));
      assert.deepStrictEqual(codeOf(yield* RawPeer.call(tools, { text: "quick" })), [undefined, "quick"]);
    }),
  );

  it.effect("waits longer after each attempt that fails, and registers what was asked meanwhile", () =>
    Effect.gen(function* () {
      const { tools, host, client } = yield* connected;
      yield* Host.reaches(client, "connected");
      host.door.isOpen = false;
      host.cut();
      for (let attempt = 0; attempt < 10; attempt += 1) {
        yield* Host.reaches(client, "waiting");
        host.hurry();
        yield* Effect.promise(async () => undefined);
        yield* Effect.yieldNow;
      }
      yield* Host.reaches(client, "waiting");
      const pauses = host.pauses.map(({ milliseconds }) => milliseconds).filter((pause) => pause <= 30_000);
      for (const [index, pause] of pauses.entries()) {
        const most = Math.min(30_000, 500 * 2 ** index);
        assert.isTrue(pause >= most / 2 && pause <= most, `pause ${index} is ${pause}`);
      }
      host.door.isOpen = true;
      const registered = yield* Effect.forkChild(Effect.promise(() => client.register(RawPeer.form, () => "red")));
      yield* Effect.yieldNow;
      host.hurry();
      yield* Fiber.join(registered);
      assert.deepStrictEqual(codeOf(yield* RawPeer.call(tools)), [undefined, "red"]);
    }),
  );

  it.effect("tries again to register a tool that the host still holds for somebody else", () =>
    Effect.gen(function* () {
      const { tools, host, client } = yield* offering(() => "red");
      host.cut();
      yield* Host.reaches(client, "waiting");
      yield* Effect.repeat(tools.list, { until: (listed) => listed.length === 0 });
      const other = host.connect();
      const held = yield* Effect.promise(() => other.register(RawPeer.form, () => "blue"));
      host.hurry();
      yield* Host.reaches(client, "connected");
      yield* Host.retries(host);
      assert.deepStrictEqual(codeOf(yield* RawPeer.call(tools)), [undefined, "blue"]);
      yield* Effect.promise(held.unregister);
      host.hurry();
      yield* Effect.repeat(tools.list, { until: (listed) => listed.length === 1 });
      assert.deepStrictEqual(codeOf(yield* RawPeer.call(tools)), [undefined, "red"]);
    }),
  );

  it.effect("gets an id that the page before it is just giving back", () =>
    Effect.gen(function* () {
      const { tools, host, client } = yield* offering(() => "old");
      const page = host.connect();
      const registering = yield* Effect.forkChild(Effect.promise(() => page.register(RawPeer.form, () => "new")));
      yield* Host.retries(host);
      client.close();
      yield* Effect.repeat(tools.list, { until: (listed) => listed.length === 0 });
      host.hurry();
      yield* Fiber.join(registering);
      assert.deepStrictEqual(codeOf(yield* RawPeer.call(tools)), [undefined, "new"]);
    }),
  );

  it.effect("tells of a tool that cannot be registered anew", () =>
    Effect.gen(function* () {
      const memory = MemoryExtensionTools.make();
      const registrations = { count: 0 };
      const tools: typeof memory = {
        ...memory,
        register: (tool, run) => {
          registrations.count += 1;
          return memory.register(registrations.count === 1 ? tool : { ...tool, contexts: [] }, run);
        },
      };
      const host = yield* Host.make(tools);
      const problem = Deferred.makeUnsafe<ExtensionClientError>();
      const client = host.connect({ onProblem: (error) => Deferred.doneUnsafe(problem, Effect.succeed(error)) });
      yield* Effect.promise(() => client.register(RawPeer.form, () => "red"));
      host.cut();
      yield* Host.reaches(client, "waiting");
      host.hurry();
      assert.strictEqual((yield* Deferred.await(problem)).code, "extension.registration_invalid");
    }),
  );

  it.effect("notices a host that has gone without a word", () =>
    Effect.gen(function* () {
      const { host, client } = yield* offering(() => "red");
      const silence = () =>
        host.pauses.findLast(({ isOver, milliseconds }) => !isOver && milliseconds === 120_000)?.run();
      silence();
      assert.strictEqual(client.state(), "connected");
      silence();
      assert.strictEqual(client.state(), "waiting");
    }),
  );
});

const thrown = (error: unknown): never => {
  throw error;
};
