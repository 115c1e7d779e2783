import { copyStorage } from "@cahier/application/copy/copyStorage";
import { forgetChats } from "@cahier/application/retention/forgetChats";
import { Retention } from "@cahier/application/retention/Retention";
import * as RequestLog from "@cahier/application/requests/RequestLog";
import { RunId, StableChatId } from "@cahier/domain/identity/Identity";
import { bodyLimitBytes, type ModelExchange } from "@cahier/domain/model/ModelExchange";
import type { ModelGateway } from "@cahier/ports/ModelGateway";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as MemoryBlobStore from "@cahier/storage-memory/MemoryBlobStore";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { play } from "../support/play.ts";
import * as World from "../support/World.ts";

const runId = RunId.make("run_1");

const exchange = (position: number, more: Partial<ModelExchange> = {}): ModelExchange => ({
  sessionId: `${runId}:inv_root`,
  position,
  startedAt: "2026-01-01T00:00:00.000Z",
  endedAt: "2026-01-01T00:00:01.000Z",
  method: "POST",
  endpoint: "https://models.test/v1/responses",
  requestHeaders: { authorization: "<redacted>", "content-type": "application/json" },
  requestBody: '{"model":"m"}',
  status: 200,
  responseHeaders: { "content-type": "text/event-stream" },
  responseBody: "data: [DONE]\n\n",
  outcome: "answered",
  ...more,
});

/** Keeps exchanges as a host that has the log turned on, in a process of its own. */
const keep = (world: World.World, ...exchanges: ReadonlyArray<ModelExchange>) =>
  Effect.gen(function* () {
    const record = yield* RequestLog.recorder;
    yield* Effect.forEach(exchanges, record, { discard: true });
  }).pipe(World.inProcess(world));

const read = (world: World.World, of = runId) => RequestLog.readRequests(of).pipe(World.inProcess(world));

const collections = (world: World.World): ReadonlyArray<string> =>
  [...world.documents.collections].filter(([, all]) => all.size > 0).map(([name]) => name);

describe("the request log", () => {
  it.effect("keeps what was exchanged under its run, in the order in which it was written, across processes", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* keep(world, exchange(0), exchange(1, { sessionId: `${runId}:inv_2` }));
      yield* keep(world, exchange(2, { outcome: "failed", status: 429, detail: "too many requests" }));
      const { requests, unreadable } = yield* read(world);
      assert.deepStrictEqual(unreadable, []);
      assert.deepStrictEqual(
        requests.map(({ invocationId, number, outcome, position }) => [number, invocationId, position, outcome]),
        [
          [1, "inv_root", 0, "answered"],
          [2, "inv_2", 1, "answered"],
          [3, "inv_root", 2, "failed"],
        ],
      );
      const { sessionId: _session, startedAt, ...others } = exchange(0);
      assert.deepStrictEqual(requests[0], { at: startedAt, invocationId: "inv_root", number: 1, ...others });
      assert.deepStrictEqual(
        [...(world.documents.collections.get(`model-requests/${runId}`)?.keys() ?? [])],
        ["000001", "000002", "000003"],
      );
      assert.deepStrictEqual(yield* read(world, RunId.make("run_2")), { requests: [], unreadable: [] });
    }),
  );

  it.effect("numbers exchanges that end at the same time one after the other, in one process and in two", () =>
    Effect.gen(function* () {
      const world = World.make();
      const both = Array.from({ length: 2 }, (_, half) =>
        Effect.gen(function* () {
          const record = yield* RequestLog.recorder;
          const own = Array.from({ length: 10 }, (_none, index) => exchange(half * 10 + index));
          yield* Effect.forEach(own, record, { concurrency: "unbounded", discard: true });
        }).pipe(World.inProcess(world, { name: `process_${half}` })),
      );
      yield* Effect.all(both, { concurrency: "unbounded", discard: true });
      const { requests } = yield* read(world);
      assert.deepStrictEqual(
        requests.map(({ number }) => number),
        Array.from({ length: 20 }, (_, index) => index + 1),
      );
      assert.strictEqual(new Set(requests.map(({ position }) => position)).size, 20);
    }),
  );

  it.effect("cuts long bodies and says how long they were, and leaves what a gateway has cut as it is", () =>
    Effect.gen(function* () {
      const world = World.make();
      const note = "… (7 bytes left out)";
      const ofGateway = `${"x".repeat(bodyLimitBytes)}${note}`;
      yield* keep(
        world,
        exchange(0, { responseBody: "\u00e4".repeat(bodyLimitBytes) }),
        exchange(1, { requestBody: ofGateway, requestBodyBytes: bodyLimitBytes + 7 }),
      );
      const [first, second] = (yield* read(world)).requests;
      assert.isAtMost(new TextEncoder().encode(first?.responseBody).length, bodyLimitBytes + 256);
      assert.deepStrictEqual([first?.requestBodyBytes, first?.responseBodyBytes], [undefined, 2 * bodyLimitBytes]);
      assert.strictEqual(second?.requestBody, ofGateway);
      assert.deepStrictEqual([second?.requestBodyBytes, second?.responseBodyBytes], [bodyLimitBytes + 7, undefined]);
    }),
  );

  it.effect("keeps nothing that is of no run, and never fails whoever asks a model", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* keep(world, exchange(0, { sessionId: "connection-test:once" }), exchange(0, { sessionId: "" }));
      assert.deepStrictEqual(collections(world), []);
      const full = new Unavailable({ operation: "put", kind: "full", detail: "no room" });
      yield* Effect.gen(function* () {
        yield* (yield* RequestLog.recorder)(exchange(0));
      }).pipe(World.inProcess(world, { documents: (documents) => ({ ...documents, put: () => Effect.fail(full) }) }));
      assert.deepStrictEqual((yield* read(world)).requests, []);
    }),
  );

  it.effect("names what cannot be read beside the others, and goes on behind it", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* keep(world, exchange(0), exchange(1));
      const documents = MemoryDocumentStore.make(world.documents);
      yield* documents.put(RequestLog.collectionOf(runId), "000003", 0, { at: "never" });
      yield* MemoryDocumentStore.damage(world.documents, RequestLog.collectionOf(runId), "000002");
      yield* keep(world, exchange(2));
      const { requests, unreadable } = yield* read(world);
      assert.deepStrictEqual(
        requests.map(({ number }) => number),
        [1, 4],
      );
      assert.deepStrictEqual(unreadable, ["000003", "000002"]);
      yield* RequestLog.removeRequests(runId).pipe(World.inProcess(world));
      assert.deepStrictEqual(collections(world), []);
    }),
  );
});

/** A gateway that hands out an exchange for each answer. */
const handingOut =
  (record: (exchange: ModelExchange) => Effect.Effect<void>) =>
  (gateway: ModelGateway["Service"]): ModelGateway["Service"] => ({
    ...gateway,
    generate: (request, onDelta) =>
      Effect.tap(gateway.generate(request, onDelta), () =>
        record(exchange(request.position, { sessionId: request.sessionId })),
      ),
  });

describe("the kept requests of a run", () => {
  const logged = Effect.fnUntraced(function* (world = World.make()) {
    const record = yield* RequestLog.recorder.pipe(World.inProcess(world, { name: "log" }));
    const run = yield* play([World.write("They wait. ".repeat(900)), World.commit, World.finish], {
      world,
      process: { gateway: handingOut(record) },
    });
    assert.strictEqual((yield* read(world, run.runId)).requests.length, 3);
    return { world, runId: run.runId };
  });

  it.effect("are not there unless somebody turned the log on", () =>
    Effect.gen(function* () {
      const { world } = yield* play(World.publishing);
      assert.isFalse(collections(world).some((name) => name.startsWith("model-requests")));
    }),
  );

  it.effect("go when the run is slimmed, deleted or forgotten with its chat", () =>
    Effect.gen(function* () {
      for (const settings of [
        { keepRecentTerminalRuns: 1, keepFullRecentRuns: 0 },
        { keepRecentTerminalRuns: 0, keepFullRecentRuns: 0 },
      ]) {
        const { runId: own, world } = yield* logged();
        const done = yield* Effect.flatMap(Retention, (retention) => retention.apply(settings)).pipe(
          World.inProcess(world, { name: "host" }),
        );
        assert.deepStrictEqual([...done.slimmed, ...done.deleted], [own]);
        assert.deepStrictEqual((yield* read(world, own)).requests, []);
      }
      const { runId: own, world } = yield* logged();
      const stableChatId = StableChatId.make(`stable ${World.chatLocation.location}`);
      yield* forgetChats([{ kind: "character", stableChatId }]).pipe(World.inProcess(world, { name: "host" }));
      assert.notInclude(collections(world).join(), own);
    }),
  );

  it.effect("are carried into another storage with the run", () =>
    Effect.gen(function* () {
      const { runId: own, world } = yield* logged();
      const other = World.make();
      const setOf = ({ blobs, documents, journals }: World.World) => ({
        journal: MemoryRunJournal.make(journals),
        blobs: MemoryBlobStore.make(blobs),
        documents: MemoryDocumentStore.make(documents),
      });
      yield* copyStorage(setOf(world), setOf(other)).pipe(World.inProcess(world, { name: "copier" }));
      assert.deepStrictEqual(yield* read(other, own), yield* read(world, own));
    }),
  );
});
