import * as Inbox from "@cahier/application/run/Inbox";
import { mirrorRun } from "@cahier/application/run/mirrorRun";
import { hostsCollection, Ownership } from "@cahier/application/run/Ownership";
import * as RunReader from "@cahier/application/run/RunReader";
import { Runs } from "@cahier/application/run/Runs";
import { startRunFromChat } from "@cahier/application/run/startRun";
import type { RunId } from "@cahier/domain/identity/Identity";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { ModelFault } from "@cahier/ports/ModelGateway";
import { RunMirror } from "@cahier/ports/RunMirror";
import { Conflict, Unavailable } from "@cahier/ports/StorageFault";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import * as FaultyRunJournal from "@cahier/testkit/doubles/FaultyRunJournal";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { ended, eventsOf, payloadsOf, play, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";

const full = new Unavailable({ operation: "put", kind: "full", detail: "no room" });
const published = [...World.beginning, "They wait by the river."];

const resumed = (world: World.World, runId: RunId) =>
  Effect.gen(function* () {
    const runs = yield* Runs;
    return yield* ended(world, yield* runs.resume(runId));
  }).pipe(World.inProcess(world, { name: "second" }));

/** Blobs that cannot be written when they are an answer of the model with `words` in it. */
const withoutRoomFor =
  (words: string) =>
  (blobs: BlobStore["Service"]): BlobStore["Service"] => ({
    ...blobs,
    put: (scope, bytes) => {
      const text = new TextDecoder().decode(bytes);
      return text.startsWith('{"message"') && text.includes(words) ? Effect.fail(full) : blobs.put(scope, bytes);
    },
  });

const long = `${"word ".repeat(6000)}ferry`;

describe("a trouble of the host", () => {
  it.effect("leaves the run to be resumed by any process, and says what to do first", () =>
    Effect.gen(function* () {
      const world = World.make();
      const left = yield* play([World.write(long), World.commit, World.finish], {
        world,
        process: { blobs: withoutRoomFor("ferry") },
      });
      assert.strictEqual(left.outcome.status, "interrupted");
      assert.match(left.outcome.error?.message ?? "", /no room.*resume the run/);
      assert.isNull((yield* RunReader.showRun(left.runId).pipe(World.inProcess(world))).state.owner);
      const again = yield* resumed(world, left.runId);
      assert.strictEqual(again.outcome.status, "completed");
      assert.deepStrictEqual(again.texts, [...World.beginning, long]);
    }),
  );

  it.effect("within a turn keeps the turns before it, and nothing half", () =>
    Effect.gen(function* () {
      const world = World.make();
      const left = yield* play([World.write("They wait by the river."), World.write(long, "scratch/long.md")], {
        world,
        process: { blobs: withoutRoomFor("ferry") },
      });
      assert.strictEqual(left.outcome.status, "interrupted");
      assert.deepStrictEqual(
        payloadsOf(left.events, "model_response_stored").map(({ round }) => round),
        [1],
      );
      assert.strictEqual(payloadsOf(left.events, "workspace_file_written").length, 1);
    }),
  );

  it.effect("such as a missing key names the secret, and the run goes on once it is there", () =>
    Effect.gen(function* () {
      const world = World.make();
      const missing = new ModelFault({
        reason: { _tag: "NotConfigured", what: "secret" },
        detail: "the secret RIVER_KEY has no value",
      });
      const { runId, outcome } = yield* Effect.gen(function* () {
        const run = yield* startRunFromChat({
          chat: World.chatLocation,
          binding: { ...World.scripted(World.publishing), secret: { key: "RIVER_KEY" } },
        });
        return yield* ended(world, run);
      }).pipe(World.inProcess(world, { gateway: (gateway) => ({ ...gateway, generate: () => Effect.fail(missing) }) }));
      assert.deepStrictEqual([outcome.status, outcome.error?.code], ["interrupted", "model.not_configured"]);
      assert.strictEqual(
        outcome.error?.message,
        "The secret RIVER_KEY has no value. Set the variable RIVER_KEY, or put it into the file that CAHIER_SECRETS names. Then resume the run.",
      );
      const again = yield* resumed(world, runId);
      assert.deepStrictEqual([again.outcome.status, again.texts], ["completed", published]);
      assert.deepStrictEqual(payloadsOf(again.events, "model_call_attempt_failed"), []);
    }),
  );

  it.effect("at a start refuses the start, without a word of resuming", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(start(World.publishing)).pipe(
        World.inProcess(World.make(), {
          journal: (journal) => ({ ...journal, create: () => Effect.fail(full) }),
        }),
      );
      assert.notInclude(failure.message, "resume");
      assert.strictEqual(failure.reason.code, "storage.full");
    }),
  );

  it.effect("of the journal lets the run go as soon as the journal takes it", () =>
    Effect.gen(function* () {
      const world = World.make();
      const left = yield* play(World.publishing, {
        world,
        process: {
          journal: (journal) => FaultyRunJournal.make(journal, { append: 3, fault: full, moment: "beforeWriting" }),
        },
      });
      assert.deepStrictEqual([left.outcome.status, left.outcome.error?.code], ["interrupted", "storage.full"]);
      assert.isNull(payloadsOf(left.events, "run_owner_changed").at(-1)?.owner);
      assert.strictEqual((yield* resumed(world, left.runId)).outcome.status, "completed");
    }),
  );
});

describe("a message that is given with a start", () => {
  /** A start with a message whose admission fails after the message was appended. */
  const failing = (options: World.ProcessOptions, world = World.make()) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(start(World.publishing, { message: "Say something." })).pipe(
        World.inProcess(world, options),
      );
      assert.strictEqual(failure._tag, "Fatal");
      return { failure: failure, world };
    });

  it.effect("is not appended when what the run is started with cannot be stored", () =>
    Effect.gen(function* () {
      const { world } = yield* failing({
        documents: (documents) => ({ ...documents, put: () => Effect.fail(full) }),
      });
      assert.deepStrictEqual(World.textsOf(world), World.beginning);
      const talkative = World.make();
      MemoryChatHost.addChat(talkative.chats, World.chatLocation.location, [{ role: "user", text: long }]);
      yield* failing({ blobs: (blobs) => ({ ...blobs, put: () => Effect.fail(full) }) }, talkative);
      assert.deepStrictEqual(World.textsOf(talkative), [long], "the prompt of a long chat has no room");
    }),
  );

  it.effect("is named as appended when the start fails after it, so that nobody says it twice", () =>
    Effect.gen(function* () {
      const { failure, world } = yield* failing({
        journal: (journal) =>
          FaultyRunJournal.make(journal, { append: 1, fault: full, moment: "beforeWriting", forever: true }),
      });
      assert.deepStrictEqual(World.textsOf(world), [...World.beginning, "Say something."]);
      assert.strictEqual(failure.reason.code, "storage.full");
      assert.match(failure.message, /message is in the chat already: leave it out/);
      assert.notInclude(failure.message, "resume");
    }),
  );

  it.effect("may be in the chat of a run that was never admitted: resuming such a run says so", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { runId } = yield* play(World.publishing, { world });
      const record = world.journals.journals.get(runId)?.record;
      const empty = World.make();
      if (record !== undefined) yield* MemoryRunJournal.make(empty.journals).create(record);
      const refusal = yield* Effect.flip(resumed(empty, runId));
      assert.match(refusal.message, /never admitted.*message.*leave it out.*start it again/i);
    }),
  );
});

describe("a process that lives and does not carry a run any more", () => {
  /** A run that its living owner has dropped without a word. */
  const dropped = Effect.fnUntraced(function* (world: World.World) {
    world.liveness.set("owner_first", "running");
    const runId = yield* Effect.gen(function* () {
      const run = yield* start([{ error: { hang: true } }]);
      yield* reached(world, run.runId, "model_call_attempt_started");
      return run.runId;
    }).pipe(World.inProcess(world));
    world.liveness.set("owner_first", "running");
    return runId;
  });

  it.effect("is not waited for without end: a cancel says after ten seconds who holds the run", () =>
    Effect.gen(function* () {
      const world = World.make();
      const runId = yield* dropped(world);
      const asking = yield* Effect.forkChild(
        Effect.gen(function* () {
          const runs = yield* Runs;
          return yield* Effect.flip(runs.cancel(runId));
        }).pipe(World.inProcess(world, { name: "second" })),
        { startImmediately: true },
      );
      yield* TestClock.adjust("10 seconds");
      const failure = yield* Fiber.join(asking);
      assert.strictEqual(failure.reason.code, "agent.host_timeout");
      assert.match(failure.message, /process 5 on here/i);
      const left = yield* MemoryDocumentStore.make(world.documents).list(Inbox.collectionOf(runId));
      assert.deepStrictEqual(left.documents, [], "what nobody answered does not stop a later resume");
    }),
  );

  it.effect("may let it go while it is asked; then whoever asks ends the run, under its request's id", () =>
    Effect.gen(function* () {
      const world = World.make();
      const runId = yield* dropped(world);
      const asking = yield* Effect.forkChild(
        Effect.gen(function* () {
          const runs = yield* Runs;
          return yield* runs.cancel(runId);
        }).pipe(World.inProcess(world, { name: "second" })),
        { startImmediately: true },
      );
      yield* TestClock.adjust(100);
      const last = (yield* eventsOf(world, runId)).at(-1);
      assert.isDefined(last);
      if (last === undefined) return;
      const { epoch, runId: _runId, seq, ...event } = last;
      yield* MemoryRunJournal.make(world.journals).append(runId, { epoch, expectedSeq: seq }, [
        { ...event, type: "run_owner_changed", v: 1, payload: { owner: null, reason: "dropped" } },
      ]);
      yield* TestClock.adjust(100);
      assert.strictEqual((yield* Fiber.join(asking)).status, "cancelled");
      const events = yield* eventsOf(world, runId);
      const request = events.find(({ type }) => type === "run_cancel_requested")?.causality?.requestId;
      assert.match(request ?? "", /^request_/);
    }),
  );
});

describe("the heartbeat of a process", () => {
  const revisions = (world: World.World) =>
    Effect.map(MemoryDocumentStore.make(world.documents).list(hostsCollection), ({ documents }) =>
      documents.map(({ revision }) => revision),
    );

  it.effect("that could not be written at first is written at the next run", () =>
    Effect.gen(function* () {
      const world = World.make();
      const failing = { times: 1 };
      yield* Effect.gen(function* () {
        const ownership = yield* Ownership;
        assert.strictEqual((yield* Effect.flip(ownership.beat)).reason.code, "storage.full");
        yield* ownership.beat;
        assert.deepStrictEqual(yield* revisions(world), [1]);
        yield* TestClock.adjust("10 seconds");
        assert.deepStrictEqual(yield* revisions(world), [2]);
      }).pipe(
        World.inProcess(world, {
          documents: (documents) => ({
            ...documents,
            put: (...given) =>
              Effect.suspend(() => (failing.times-- > 0 ? Effect.fail(full) : documents.put(...given))),
          }),
        }),
      );
    }),
  );

  it.effect("goes on after its document was changed by somebody else or taken away", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const ownership = yield* Ownership;
        const documents = MemoryDocumentStore.make(world.documents);
        yield* ownership.beat;
        yield* documents.put(hostsCollection, "owner_first", 1, { at: 1 });
        yield* TestClock.adjust("10 seconds");
        assert.deepStrictEqual(yield* revisions(world), [3]);
        yield* documents.remove(hostsCollection, "owner_first");
        yield* TestClock.adjust("10 seconds");
        assert.deepStrictEqual(yield* revisions(world), [1]);
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("that always meets another writer gives up with the conflict", () =>
    Effect.gen(function* () {
      const conflict = new Conflict({ entity: "document", id: "owner_first", expected: 0, actual: 1 });
      yield* Effect.gen(function* () {
        const ownership = yield* Ownership;
        assert.strictEqual((yield* Effect.flip(ownership.beat)).reason.code, "journal.conflict");
      }).pipe(
        World.inProcess(World.make(), {
          documents: (documents) => ({ ...documents, put: () => Effect.fail(conflict) }),
        }),
      );
    }),
  );
});

describe("the tree for people", () => {
  it.effect("has every file that could be written, and one report of those that could not", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { runId, outcome } = yield* play(World.publishing, { world });
      assert.strictEqual(outcome.status, "completed");
      const whole = [...(world.mirrors.trees.get(runId)?.keys() ?? [])];
      world.mirrors.trees.clear();
      const failure = yield* Effect.gen(function* () {
        const mirror = yield* RunMirror;
        return yield* Effect.flip(
          Effect.provideService(mirrorRun(runId), RunMirror, {
            ...mirror,
            write: (run, path, bytes) =>
              path === "manifest.json" || path.startsWith("tool-args/")
                ? Effect.fail(full)
                : mirror.write(run, path, bytes),
          }),
        );
      }).pipe(World.inProcess(world));
      assert.strictEqual(failure.reason.code, "storage.full");
      assert.match(failure.message, /4 of \d+ files.*manifest\.json/);
      assert.strictEqual(world.mirrors.trees.get(runId)?.size, whole.length - 4);
    }),
  );
});

describe("the time of a run's creation", () => {
  it.effect("is one, in its record and in its journal, however long the start took", () =>
    Effect.gen(function* () {
      const world = World.make();
      const run = yield* Effect.forkChild(
        play(World.publishing, {
          world,
          message: "Say something.",
          process: {
            chatHost: (chatHost) => ({
              ...chatHost,
              appendUserMessage: (...given) => Effect.delay(chatHost.appendUserMessage(...given), 700),
            }),
          },
        }),
        { startImmediately: true },
      );
      yield* TestClock.adjust(700);
      const { events, runId, state } = yield* Fiber.join(run);
      const record = world.journals.journals.get(runId)?.record;
      assert.strictEqual(state.createdAt, record?.createdAt ?? null);
      assert.strictEqual(events[0]?.timestamp, record?.createdAt);
    }),
  );
});
