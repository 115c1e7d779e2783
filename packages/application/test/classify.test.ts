import { classifyChat } from "@cahier/application/failure/classifyChat";
import { classifyModel, retryAfterMs } from "@cahier/application/failure/classifyModel";
import { classifyStorage, type StorageFact } from "@cahier/application/failure/classifyStorage";
import { isRetryable } from "@cahier/domain/failure/Failure";
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import { ChatFault } from "@cahier/ports/ChatHost";
import { ModelFault, type ModelFaultReason } from "@cahier/ports/ModelGateway";
import { AlreadyExists, Conflict, Corrupt, Fenced, NotFound, Unavailable } from "@cahier/ports/StorageFault";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as TestClock from "effect/testing/TestClock";
import { ended, payloadsOf, play, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";

const network = (kind: Extract<ModelFaultReason, { _tag: "Network" }>["kind"]): ModelFaultReason => ({
  _tag: "Network",
  kind,
});

const modelFaults: ReadonlyArray<readonly [ModelFaultReason, FailureCode, repeated: boolean]> = [
  [{ _tag: "Unauthorized", status: 401 }, "agent.unauthorized", false],
  [{ _tag: "Rejected", status: 400 }, "agent.validation_error", false],
  [{ _tag: "RateLimited", status: 429 }, "model.provider_rate_limited", true],
  [{ _tag: "Transient", status: 503 }, "agent.transient", true],
  [{ _tag: "InvalidResponse", status: 200 }, "model.upstream_invalid_response", true],
  [{ _tag: "InvalidToolCall" }, "model.invalid_tool_call", false],
  [{ _tag: "NativeMetadataLost" }, "model.native_metadata_lost", false],
  [{ _tag: "ProviderStateInvalid" }, "agent.provider_state_invalid", false],
  [network("timeout"), "network.timeout", true],
  [network("connect"), "network.connect_failed", true],
  [network("proxy"), "network.proxy_failed", true],
  [network("dns"), "network.dns_failed", true],
  [network("tls"), "network.tls_failed", true],
  [network("bodyInterrupted"), "network.body_interrupted", true],
  [network("request"), "network.request_failed", true],
  [{ _tag: "NotConfigured", what: "script" }, "model.script_invalid", false],
  [{ _tag: "ScriptExhausted", position: 3 }, "model.script_exhausted", false],
];

describe("what a model fault means for a run", () => {
  for (const [reason, code, repeated] of modelFaults) {
    it.effect(`${JSON.stringify(reason)} is ${code}, ${repeated ? "repeated once and then" : "at once"} the end`, () =>
      Effect.gen(function* () {
        const world = World.make();
        const fault = new ModelFault({ reason, detail: "It said no.", endpoint: "https://models.test/v1" });
        const { events, outcome } = yield* Effect.gen(function* () {
          const run = yield* start([], {
            profile: {
              document: {
                kind: "cahier.agentProfile",
                schemaVersion: 1,
                id: "hasty",
                displayName: "Hasty",
                run: { modelRetry: { maxRetries: 1, intervalMs: 5 } },
                tools: {
                  allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
                  maxRounds: 3,
                },
              },
            },
          });
          if (repeated) {
            yield* reached(world, run.runId, "model_call_retry_scheduled");
            yield* TestClock.adjust(5);
          }
          return yield* ended(world, run);
        }).pipe(World.inProcess(world, { gateway: (gateway) => ({ ...gateway, generate: () => Effect.fail(fault) }) }));
        assert.deepStrictEqual([outcome.status, outcome.error?.code], ["failed", code]);
        assert.strictEqual(payloadsOf(events, "model_call_attempt_failed").length, repeated ? 2 : 1);
        assert.strictEqual(payloadsOf(events, "run_failed")[0]?.retryable, repeated);
        assert.include(outcome.error?.message, "https://models.test/v1");
        // Where a script ends, its position says everything.
        if (reason._tag !== "ScriptExhausted") assert.include(outcome.error?.message, "It said no.");
        assert.notMatch(outcome.error?.message ?? "", /[.?!]{2}|\. \(|\s$/u);
      }),
    );
  }

  it("only a rate limit or a passing failure says when to come back", () => {
    const fault = (reason: ModelFaultReason) => new ModelFault({ reason, detail: "" });
    assert.strictEqual(retryAfterMs(fault({ _tag: "RateLimited", status: 429, retryAfterMs: 9 })), 9);
    assert.strictEqual(retryAfterMs(fault({ _tag: "Transient", status: 503, retryAfterMs: 9 })), 9);
    assert.isUndefined(retryAfterMs(fault({ _tag: "Rejected", status: 400 })));
  });

  const told: ReadonlyArray<readonly [ModelFaultReason, detail: string, message: string]> = [
    [
      network("timeout"),
      "the server did not answer in time",
      "The server did not answer in time. Try again, or choose another model.",
    ],
    [
      network("connect"),
      "no connection to the server (ECONNREFUSED)",
      "The server cannot be reached. Check that it runs and that the base URL is right. No connection to the server (ECONNREFUSED).",
    ],
    [
      { _tag: "Unauthorized", status: 401 },
      "no such key",
      "The provider refused the key. Check it and that it belongs to this endpoint. It answered: no such key.",
    ],
    [
      { _tag: "ScriptExhausted", position: 3 },
      "the script has no turn 3 for the root agent",
      "The script has no turn at position 3. Add one, or let an earlier turn call workspace_finish.",
    ],
    [
      { _tag: "NotConfigured", what: "source" },
      "no model source is called llama",
      "No model source is called llama. Choose another model, or set this one up.",
    ],
  ];

  it.each(told)("%j says once what happened, then what to do (told: %s)", (reason, detail, message) => {
    assert.strictEqual(classifyModel(new ModelFault({ reason, detail })).message, message);
  });

  it("a secret without a value is named by its key, with what to set", () => {
    const reason = { _tag: "NotConfigured", what: "secret" } as const;
    const failure = classifyModel(new ModelFault({ reason, detail: "the secret RIVER_KEY has no value" }), {
      key: "RIVER_KEY",
    });
    assert.strictEqual(
      failure.message,
      "The secret RIVER_KEY has no value. Set the variable RIVER_KEY, or put it into the file that CAHIER_SECRETS names.",
    );
  });

  it("what is repeated is what the registry calls retryable", () => {
    for (const [reason, code, repeated] of modelFaults) {
      const failure = classifyModel(new ModelFault({ reason, detail: "" }));
      assert.strictEqual(failure.reason.code, code);
      assert.strictEqual(isRetryable(failure.reason.code), repeated);
    }
  });
});

const unavailable = (kind: Unavailable["kind"]) => new Unavailable({ operation: "append", kind, detail: "why" });

const storageFacts: ReadonlyArray<readonly [StorageFact, FailureCode]> = [
  [new AlreadyExists({ entity: "run", id: "run_1" }), "journal.conflict"],
  [new Conflict({ entity: "sequence", id: "run_1", expected: 3, actual: 4 }), "journal.conflict"],
  [new Fenced({ id: "run_1", epoch: 1, currentEpoch: 2 }), "journal.fenced"],
  [new NotFound({ entity: "run", id: "run_1" }), "agent.run_not_found"],
  [new NotFound({ entity: "blob", id: "abc" }), "blob.missing"],
  [new Corrupt({ entity: "blob", id: "abc", detail: "other bytes" }), "blob.hash_mismatch"],
  [new Corrupt({ entity: "run", id: "run_1", detail: "bad checksum", line: 7, seq: 6 }), "journal.corrupt"],
  [new Corrupt({ entity: "run", id: "run_1", detail: "bad checksum" }), "journal.corrupt"],
  [unavailable("full"), "storage.full"],
  [unavailable("readOnly"), "storage.read_only"],
  [unavailable("denied"), "storage.read_only"],
  [unavailable("symlink"), "storage.failed"],
  [unavailable("invalid"), "storage.failed"],
  [unavailable("other"), "storage.failed"],
];

describe("what a storage fact means for a run", () => {
  it.each(storageFacts)("%j is fatal with the code %s", (fact, code) => {
    const failure = classifyStorage(fact);
    assert.strictEqual(failure._tag, "Fatal");
    assert.strictEqual(failure.reason.code, code);
    assert.strictEqual(failure.cause, fact);
  });

  it("damage names its line and event, for people and for programs", () => {
    const failure = classifyStorage(new Corrupt({ entity: "run", id: "run_1", detail: "bad", line: 7, seq: 6 }));
    assert.include(failure.message, "line 7, event 6");
    assert.deepStrictEqual(failure.reason.details, { line: 7, seq: 6 });
  });

  it.effect("an answer that cannot be stored interrupts the run: it is the host's trouble, not the run's", () =>
    Effect.gen(function* () {
      const { events, outcome, texts } = yield* play([World.write("word ".repeat(6000)), World.commit, World.finish], {
        process: {
          blobs: (blobs) => ({
            ...blobs,
            put: (scope, bytes) =>
              new TextDecoder().decode(bytes).startsWith('{"message"')
                ? Effect.fail(unavailable("full"))
                : blobs.put(scope, bytes),
          }),
        },
      });
      assert.deepStrictEqual([outcome.status, outcome.error?.code], ["interrupted", "storage.full"]);
      assert.include(outcome.error?.message, "resume the run");
      assert.deepStrictEqual(payloadsOf(events, "run_failed"), []);
      assert.deepStrictEqual(texts, World.beginning);
    }),
  );
});

describe("what a chat fact means for a run", () => {
  it("a refused commit alone is the model's to deal with", () => {
    const refused = classifyChat(new ChatFault({ reason: { _tag: "Refused" }, detail: "no" }));
    assert.deepStrictEqual([refused._tag, refused.reason.code], ["Recoverable", "agent.chat_commit_failed"]);
    const moved = classifyChat(new ChatFault({ reason: { _tag: "Moved" }, detail: "no" }));
    assert.deepStrictEqual([moved._tag, moved.reason.code], ["Fatal", "chat.conflict"]);
  });
});

describe("a bug of the runtime", () => {
  it.effect("stops the run, says so, and leaves it to be resumed", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { outcome, events } = yield* play(World.publishing, {
        world,
        process: { gateway: (gateway) => ({ ...gateway, generate: () => Effect.die(new Error("a mistake")) }) },
      });
      assert.deepStrictEqual([outcome.status, outcome.error?.code], ["interrupted", "agent.internal_error"]);
      assert.include(outcome.error?.message, "a mistake");
      const types = events.map(({ type }) => type);
      assert.deepStrictEqual(types.slice(-3), ["model_call_attempt_started", "status_changed", "run_owner_changed"]);
    }),
  );
});
