import { abandonedAfterMs, collectBlobs } from "@cahier/application/retention/collectBlobs";
import { admissionGraceMs, forgetChats, removalsCollection } from "@cahier/application/retention/forgetChats";
import * as HostLog from "@cahier/application/retention/HostLog";
import { everyMs, firstAfterMs, Retention, retryAfterMs } from "@cahier/application/retention/Retention";
import { pruneStates } from "@cahier/application/persist/pruneStates";
import * as States from "@cahier/application/persist/States";
import { listRuns, readWorkspaceFile, showRun } from "@cahier/application/run/RunReader";
import { startRunFromChat } from "@cahier/application/run/startRun";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { RunId, StableChatId } from "@cahier/domain/identity/Identity";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as MemoryBlobStore from "@cahier/storage-memory/MemoryBlobStore";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as TestClock from "effect/testing/TestClock";
import { play, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";

const long = "They wait by the river, and nobody says a word.\n".repeat(400);
const heavy: ReadonlyArray<World.Turn> = [World.write(long), World.commit, World.finish];

/** So many runs with content beside their journals, each ended a second after the one before. */
const ended = (world: World.World, count: number) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.gen(function* () {
      yield* TestClock.adjust(1000);
      return (yield* play(heavy, { world })).runId;
    }),
  );

const inHost = <A, E, R>(world: World.World, effect: Effect.Effect<A, E, R>, options: World.ProcessOptions = {}) =>
  effect.pipe(World.inProcess(world, { name: "host", ...options }));

const codeOf = <A, R>(effect: Effect.Effect<A, Fatal, R>) =>
  Effect.map(Effect.flip(effect), (failure) => failure.reason.code);

const keeping = { keepRecentTerminalRuns: 2, keepFullRecentRuns: 1 };

const using = <A>(use: (retention: Retention["Service"]) => Effect.Effect<A, Fatal>) => Effect.flatMap(Retention, use);

const blobsIn = (world: World.World, scope: string) =>
  Effect.map(MemoryBlobStore.make(world.blobs).list(scope), (found) => found.length);

const stableChatId = StableChatId.make(`stable ${World.chatLocation.location}`);
const chat = { kind: "character" as const, stableChatId };

describe("retention", () => {
  it.effect("keeps its settings, and refuses what cannot be held", () =>
    Effect.gen(function* () {
      const world = World.make();
      assert.strictEqual(
        (yield* inHost(
          world,
          using(({ settings }) => settings),
        )).keepRecentTerminalRuns,
        100,
      );
      yield* inHost(
        world,
        using(({ updateSettings }) => updateSettings({ keepFullRecentRuns: 5 })),
      );
      assert.deepStrictEqual(
        yield* inHost(
          world,
          using(({ settings }) => settings),
        ),
        {
          autoPruneEnabled: false,
          keepRecentTerminalRuns: 100,
          keepFullRecentRuns: 5,
        },
      );
      const change = using(({ updateSettings }) => updateSettings({ keepRecentTerminalRuns: 4 }));
      assert.strictEqual(yield* codeOf(inHost(world, change)), "agent.retention_keep_full_recent_runs_invalid");
      const plan = using(({ plan }) => plan({ keepRecentTerminalRuns: -1 }));
      assert.strictEqual(yield* codeOf(inHost(world, plan)), "agent.retention_keep_recent_terminal_runs_invalid");
    }),
  );

  it.effect("plans without changing anything, and does as it planned", () =>
    Effect.gen(function* () {
      const world = World.make();
      const [first, second, third] = yield* ended(world, 3);
      const plan = yield* inHost(
        world,
        using((retention) => retention.plan(keeping)),
      );
      assert.deepStrictEqual(
        plan.candidates.map(({ action, runId }) => [runId, action]),
        [
          [second, "slim_heavy_artifacts"],
          [first, "delete_run"],
        ],
      );
      assert.isAbove(plan.candidates[0]?.bytes ?? 0, 8192);
      const done = yield* inHost(
        world,
        using((retention) => retention.apply(keeping)),
      );
      assert.deepStrictEqual([done.slimmed, done.deleted, done.failed], [[second], [first], []]);
      assert.deepStrictEqual(done.afterPlan.candidates, []);
      assert.deepStrictEqual([done.afterPlan.fullRetained, done.afterPlan.coreRetained], [1, 1]);
      assert.isAbove(done.removed.bytes, 8192);
      for (const [runId, isWhole] of [
        [second, false],
        [third, true],
      ] as const) {
        assert.strictEqual((yield* blobsIn(world, runId ?? "")) > 0, isWhole);
        assert.strictEqual((world.mirrors.trees.get(runId ?? RunId.make("x"))?.size ?? 0) > 0, isWhole);
      }
      const left = yield* inHost(world, listRuns());
      assert.deepStrictEqual(
        left.map(({ runId, standing }) => [runId, standing]),
        [
          [third, "ended"],
          [second, "ended"],
        ],
      );
      assert.strictEqual((yield* inHost(world, showRun(second ?? RunId.make("x")))).state.status, "completed");
      const file = readWorkspaceFile(second ?? RunId.make("x"), "output/main.md");
      assert.strictEqual(yield* codeOf(inHost(world, file)), "blob.missing");
      assert.deepStrictEqual(World.textsOf(world), [...World.beginning, long, long, long]);
    }),
  );

  it.effect("writes down in the host's log what it removed", () =>
    Effect.gen(function* () {
      const world = World.make();
      const [first, second] = yield* ended(world, 3);
      yield* inHost(
        world,
        using((retention) => retention.apply(keeping)),
      );
      const entries = yield* inHost(world, HostLog.entries());
      assert.sameDeepMembers(
        entries.map(({ action, outcome, reason, subject }) => [action, subject, reason, outcome]),
        [
          ["run_deleted", first, "outside_history_retention_window", "done"],
          ["run_slimmed", second, "outside_full_retention_window", "done"],
        ],
      );
    }),
  );

  it.effect("leaves runs that work, wait or are damaged, and one that cannot be removed keeps no other from it", () =>
    Effect.gen(function* () {
      const world = World.make();
      const [first, second, third] = yield* ended(world, 3);
      yield* MemoryRunJournal.damage(world.journals, first ?? RunId.make("x"), 9);
      yield* MemoryDocumentStore.make(world.documents).remove("run-summaries", first ?? "");
      yield* Effect.gen(function* () {
        const run = yield* start([{ error: { hang: true } }]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        const none = { keepRecentTerminalRuns: 0, keepFullRecentRuns: 0 };
        const full = new Unavailable({ operation: "remove", kind: "readOnly", detail: "read-only" });
        const done = yield* inHost(
          world,
          using((retention) => retention.apply(none)),
          {
            journal: (journal) => ({
              ...journal,
              remove: (runId) => (runId === third ? Effect.fail(full) : journal.remove(runId)),
            }),
          },
        );
        assert.deepStrictEqual([done.deleted, done.slimmed], [[second], []]);
        assert.deepStrictEqual(
          done.failed.map(({ action, code, runId }) => [runId, action, code]),
          [[third, "delete_run", "storage.read_only"]],
        );
        assert.sameDeepMembers(
          done.afterPlan.blocked.map(({ blocked, runId }) => [runId, blocked]),
          [
            [run.runId, "active_run"],
            [first, "invalid_journal"],
          ],
        );
        const failed = (yield* inHost(world, HostLog.entries())).find(({ outcome }) => outcome === "failed");
        assert.strictEqual(failed?.details["code"], "storage.read_only");
        yield* run.cancel;
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect(
    "works by itself when its settings say so: after a start or change, then every half hour, sooner after a failure",
    () =>
      Effect.gen(function* () {
        const world = World.make();
        yield* ended(world, 3);
        const fails: Array<string> = [];
        yield* Effect.gen(function* () {
          const retention = yield* Retention;
          yield* retention.automatic;
          yield* Effect.yieldNow;
          yield* TestClock.adjust(firstAfterMs);
          assert.strictEqual(world.journals.journals.size, 3);
          yield* retention.updateSettings({ ...keeping, autoPruneEnabled: true });
          yield* Effect.yieldNow;
          yield* TestClock.adjust(firstAfterMs - 1);
          assert.strictEqual(world.journals.journals.size, 3);
          yield* TestClock.adjust(1);
          assert.strictEqual(world.journals.journals.size, 2);
          yield* play(heavy, { world });
          yield* TestClock.adjust(everyMs);
          assert.strictEqual(world.journals.journals.size, 2);
          yield* play(heavy, { world });
          fails.push("settings");
          yield* TestClock.adjust(everyMs);
          assert.strictEqual(world.journals.journals.size, 3);
          fails.length = 0;
          yield* TestClock.adjust(retryAfterMs);
          assert.strictEqual(world.journals.journals.size, 2);
        }).pipe(
          Effect.scoped,
          World.inProcess(world, {
            name: "host",
            documents: (documents) => ({
              ...documents,
              get: (collection, id) =>
                Effect.suspend(() =>
                  fails.length > 0 && collection === "settings"
                    ? Effect.fail(new Unavailable({ operation: "get", kind: "other", detail: "not now" }))
                    : documents.get(collection, id),
                ),
            }),
          }),
        );
      }),
  );
});

describe("content that nothing refers to", () => {
  it.effect("is collected, and never what an event or a state names", () =>
    Effect.gen(function* () {
      const world = World.make();
      const [runId] = yield* ended(world, 1);
      const remembering = [World.write(long, "persist/notes.md"), ...heavy];
      yield* play(remembering, { world });
      const blobs = MemoryBlobStore.make(world.blobs);
      const before = yield* blobs.scopes;
      const kept = yield* Effect.forEach(before, blobs.list);
      const left = new TextEncoder().encode("left behind");
      for (const scope of [runId ?? "", "run_gone", "persist_gone"]) yield* blobs.put(scope, left);
      yield* blobs.put("of_others", left);
      const removed = yield* inHost(world, collectBlobs());
      assert.deepStrictEqual(removed, { blobs: 2, bytes: 2 * left.length });
      // A run that no list has may be there all the same: its record may be damaged, or of a later version.
      assert.deepStrictEqual(yield* blobs.scopes, [...before, "of_others", "run_gone"].toSorted());
      assert.deepStrictEqual(yield* Effect.forEach(before, blobs.list), kept);
      assert.deepStrictEqual(yield* inHost(world, collectBlobs()), { blobs: 0, bytes: 0 });
    }),
  );

  it.effect("of a run that is written is kept: what it stored is about to be named", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start([{ error: { hang: true } }]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        const blobs = MemoryBlobStore.make(world.blobs);
        yield* blobs.put(run.runId, new TextEncoder().encode("about to be named"));
        yield* blobs.put(States.scopeOf(run.runId), new TextEncoder().encode("about to be published"));
        assert.deepStrictEqual(yield* inHost(world, collectBlobs()), { blobs: 0, bytes: 0 });
        yield* run.cancel;
        assert.strictEqual((yield* inHost(world, collectBlobs())).blobs, 2);
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("of a run that somebody takes first is kept, and keeps nothing else from being collected", () =>
    Effect.gen(function* () {
      const world = World.make();
      const runIds = yield* ended(world, 2);
      const blobs = MemoryBlobStore.make(world.blobs);
      for (const runId of runIds) yield* blobs.put(runId, new Uint8Array([1]));
      const [taken] = runIds;
      const removed = yield* inHost(world, collectBlobs(), {
        journal: (journal) => ({
          ...journal,
          claim: (runId, epoch, event) =>
            runId === taken
              ? Effect.andThen(journal.claim(runId, epoch, event), journal.claim(runId, epoch, event))
              : journal.claim(runId, epoch, event),
        }),
      });
      assert.strictEqual(removed.blobs, 1);
    }),
  );

  it.effect("is kept while a copy into the storage is not whole", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* MemoryDocumentStore.make(world.documents).put("storage-copies", "present", 0, {});
      yield* MemoryBlobStore.make(world.blobs).put("run_copied", new Uint8Array([1]));
      assert.strictEqual(yield* codeOf(inHost(world, collectBlobs())), "storage.in_use");
      assert.strictEqual(yield* blobsIn(world, "run_copied"), 1);
    }),
  );

  it.effect("of a start that died is removed with it, once nobody can be starting it any more", () =>
    Effect.gen(function* () {
      const world = World.make();
      const runId = RunId.make("run_left");
      const workspaceId = (yield* play(World.publishing, { world })).state.workspaceId ?? assert.fail();
      yield* MemoryRunJournal.make(world.journals).create({ runId, workspaceId, createdAt: new Date(0).toISOString() });
      yield* MemoryBlobStore.make(world.blobs).put(runId, new Uint8Array([1]));
      assert.strictEqual((yield* inHost(world, collectBlobs())).blobs, 0);
      yield* TestClock.adjust(abandonedAfterMs);
      assert.strictEqual((yield* inHost(world, collectBlobs())).blobs, 1);
      assert.isFalse(world.journals.journals.has(runId));
    }),
  );
});

describe("forgetting a chat", () => {
  /** Two chats with a run and a state each. */
  const two = Effect.gen(function* () {
    const world = World.make();
    const other = { location: "memory:other" };
    MemoryChatHost.addChat(world.chats, other.location, [{ role: "user", text: "Then we wait." }]);
    const turns = [World.write("They met.", "persist/notes.md"), ...heavy];
    const one = yield* play(turns, { world });
    const kept = yield* Effect.gen(function* () {
      const run = yield* startRunFromChat({ chat: other, binding: World.scripted(turns) });
      yield* run.outcome;
      return run.runId;
    }).pipe(World.inProcess(world));
    return { world, one: one.runId, kept };
  });

  it.effect(
    "removes its runs, content, states, summaries and requests, and nothing of another chat or the chat itself",
    () =>
      Effect.gen(function* () {
        const { kept, one, world } = yield* two;
        yield* inHost(world, listRuns());
        const documents = MemoryDocumentStore.make(world.documents);
        yield* documents.put(`inbox/${one}`, "request_1", 0, { kind: "cancel", at: "2026-01-01T00:00:00.000Z" });
        const texts = World.textsOf(world);
        const gone = yield* inHost(world, forgetChats([chat, chat]));
        assert.deepStrictEqual([gone.runIds, gone.stateIds, gone.workspaceIds.length], [[one], [one], 1]);
        assert.deepStrictEqual([...world.journals.journals.keys()], [kept]);
        assert.deepStrictEqual(
          yield* MemoryBlobStore.make(world.blobs).scopes,
          [States.scopeOf(kept), kept].toSorted(),
        );
        const everything = JSON.stringify(
          [...world.documents.collections]
            .filter(([, all]) => all.size > 0)
            .map(([name, all]) => [name, [...all.keys()]]),
        );
        assert.notInclude(everything, one);
        assert.include(everything, kept);
        assert.isUndefined(world.mirrors.trees.get(one));
        assert.deepStrictEqual(World.textsOf(world), texts);
        const log = yield* inHost(world, HostLog.entries());
        assert.deepStrictEqual(
          log.map(({ action, outcome }) => [action, outcome]),
          [["chats_forgotten", "done"]],
        );
        assert.deepStrictEqual((yield* inHost(world, forgetChats([chat]))).runIds, []);
      }),
  );

  it.effect("is refused while a run of one of the chats works or starts, and then removes nothing", () =>
    Effect.gen(function* () {
      const { kept, one, world } = yield* two;
      const other = { kind: "character" as const, stableChatId: StableChatId.make("stable memory:other") };
      yield* Effect.gen(function* () {
        const run = yield* start([{ error: { hang: true } }]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        const failure = yield* Effect.flip(inHost(world, forgetChats([other, chat])));
        assert.strictEqual(failure.reason.code, "agent.workspace_in_use");
        assert.include(failure.message, run.runId);
        assert.isTrue([one, kept].every((runId) => world.journals.journals.has(runId)));
        yield* run.cancel;
      }).pipe(World.inProcess(world));
      const runId = RunId.make("run_starting");
      const workspaceId = world.journals.journals.get(one)?.record.workspaceId ?? assert.fail();
      const createdAt = new Date(0).toISOString();
      yield* MemoryRunJournal.make(world.journals).create({ runId, workspaceId, createdAt });
      assert.strictEqual(yield* codeOf(inHost(world, forgetChats([chat]))), "agent.workspace_in_use");
      assert.isTrue(world.journals.journals.has(one));
      yield* TestClock.adjust(admissionGraceMs);
      yield* inHost(world, forgetChats([chat]));
      assert.deepStrictEqual([...world.journals.journals.keys()], [kept]);
    }),
  );

  it.effect("that was broken off anywhere is finished by whoever forgets or prunes next", () =>
    Effect.gen(function* () {
      const full = new Unavailable({ operation: "remove", kind: "readOnly", detail: "read-only" });
      for (const next of ["forget", "prune"] as const)
        for (let allowed = 0; allowed < 4; allowed += 1) {
          const { kept, one, world } = yield* two;
          let left = allowed;
          const limited = <A, E>(remove: Effect.Effect<A, E>) =>
            Effect.suspend((): Effect.Effect<A, E | Unavailable> => ((left -= 1) < 0 ? Effect.fail(full) : remove));
          const failed = yield* Effect.exit(
            inHost(world, forgetChats([chat]), {
              blobs: (blobs) => ({ ...blobs, removeScope: (scope) => limited(blobs.removeScope(scope)) }),
              journal: (journal) => ({ ...journal, remove: (runId) => limited(journal.remove(runId)) }),
              documents: (documents) => ({
                ...documents,
                remove: (collection, id) =>
                  collection === removalsCollection
                    ? limited(documents.remove(collection, id))
                    : documents.remove(collection, id),
              }),
            }),
          );
          assert.strictEqual(failed._tag, "Failure", `${allowed}`);
          // The process that broke off lives on and has let go.
          world.liveness.set("owner_host", "running");
          yield* next === "forget"
            ? inHost(world, forgetChats([]), { name: "next" })
            : inHost(
                world,
                using((retention) => retention.apply()),
                { name: "next" },
              );
          assert.deepStrictEqual([...world.journals.journals.keys()], [kept], `${next} ${allowed}`);
          assert.notInclude(yield* MemoryBlobStore.make(world.blobs).scopes, one);
          assert.notInclude(yield* MemoryDocumentStore.make(world.documents).collections, removalsCollection);
        }
    }),
  );

  it.effect("removes damaged runs as well", () =>
    Effect.gen(function* () {
      const { kept, one, world } = yield* two;
      yield* MemoryRunJournal.damage(world.journals, one, 9);
      yield* inHost(world, forgetChats([chat]));
      assert.deepStrictEqual([...world.journals.journals.keys()], [kept]);
    }),
  );
});

describe("pruning states", () => {
  it.effect("removes those of the named that no message leads to, and nothing else", () =>
    Effect.gen(function* () {
      const world = World.make();
      const remembering = (note: string) => [World.write(note, "persist/notes.md"), ...World.publishing];
      const one = (yield* play(remembering("One."), { world })).runId;
      yield* TestClock.adjust(1000);
      const two = (yield* play(remembering("Two."), { world, generationType: "regenerate" })).runId;
      const chats = world.chats.chats.get(World.chatLocation.location);
      assert.strictEqual(chats?.messages.length, 3);
      const pruned = yield* inHost(world, pruneStates(World.chatLocation, [one, two, one]));
      assert.deepStrictEqual([pruned.removed, pruned.kept], [[one], [two]]);
      assert.deepStrictEqual(yield* blobsIn(world, States.scopeOf(one)), 0);
      assert.isAbove(yield* blobsIn(world, States.scopeOf(two)), 0);
      const again = yield* inHost(world, pruneStates(World.chatLocation, [one]));
      assert.deepStrictEqual([again.removed, again.absent], [[], [one]]);
    }),
  );

  it.effect("keeps what an open run began with", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = (yield* play([World.write("One.", "persist/notes.md"), ...World.publishing], { world })).runId;
      yield* Effect.gen(function* () {
        const run = yield* start([{ error: { hang: true } }]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        for (const message of world.chats.chats.get(World.chatLocation.location)?.messages ?? []) message.state = null;
        assert.deepStrictEqual((yield* inHost(world, pruneStates(World.chatLocation, [one]))).kept, [one]);
        yield* run.cancel;
        assert.deepStrictEqual((yield* inHost(world, pruneStates(World.chatLocation, [one]))).removed, [one]);
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("needs candidates, and is not for groups", () =>
    Effect.gen(function* () {
      const world = World.make();
      assert.strictEqual(
        yield* codeOf(inHost(world, pruneStates(World.chatLocation, []))),
        "agent.persistent_state_prune_candidates_required",
      );
      assert.strictEqual(
        yield* codeOf(inHost(world, pruneStates({ ...World.chatLocation, groupId: "group" }, ["state"]))),
        "agent.group_persistent_state_prune_unsupported",
      );
    }),
  );
});
