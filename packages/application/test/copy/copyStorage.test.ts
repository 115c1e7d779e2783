import { copyStorage, type CopyOptions } from "@cahier/application/copy/copyStorage";
import * as Inventory from "@cahier/application/copy/Inventory";
import { leftOutCollections } from "@cahier/application/copy/leftOutCollections";
import type { StorageSet } from "@cahier/application/copy/StorageSet";
import { Runs } from "@cahier/application/run/Runs";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { CallId, RunId } from "@cahier/domain/identity/Identity";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as MemoryBlobStore from "@cahier/storage-memory/MemoryBlobStore";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import * as MemoryRunMirror from "@cahier/storage-memory/MemoryRunMirror";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { ended, eventsOf, payloadsOf, play, reached, start } from "../support/play.ts";
import * as World from "../support/World.ts";

const long = "They wait by the river, and nobody says a word.\n".repeat(400);

const setOf = (world: World.World): StorageSet => ({
  journal: MemoryRunJournal.make(world.journals),
  blobs: MemoryBlobStore.make(world.blobs),
  documents: MemoryDocumentStore.make(world.documents),
  mirror: MemoryRunMirror.make(world.mirrors),
});

/** Copies between the storages of two worlds as a process of neither. */
const copy = (from: World.World, to: World.World, options: CopyOptions = {}, change: Partial<StorageSet> = {}) =>
  copyStorage(setOf(from), { ...setOf(to), ...change }, options).pipe(World.inProcess(from, { name: "copier" }));

const codeOf = <A, R>(effect: Effect.Effect<A, Fatal, R>) =>
  Effect.map(Effect.flip(effect), (failure) => failure.reason.code);

/** Two runs that have ended, one with content too long for its events, and a document. */
const filled = Effect.gen(function* () {
  const world = World.make();
  const one = yield* play([World.write(long), World.commit, World.finish], { world });
  const two = yield* play(World.publishing, { world });
  yield* MemoryDocumentStore.make(world.documents).put("policies", "user", 0, { rules: [{ b: 1, a: [2] }] });
  return { world, one: one.runId, two: two.runId };
});

const waiting = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "asking",
  displayName: "Asking",
  run: { presentation: "foreground" },
  tools: {
    maxRounds: 20,
    allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
    policy: [{ tools: ["builtin:workspace.commit"], permission: "ask" }],
  },
};

describe("a copy of a storage", () => {
  it.effect("has every event, blob and document, and the digests of both sides are equal", () =>
    Effect.gen(function* () {
      const { one, two, world } = yield* filled;
      const other = World.make();
      const report = yield* copy(world, other);
      assert.deepStrictEqual([report.runs, report.leftOut], [{ copied: 2, present: 0 }, []]);
      assert.isAbove(report.blobs.copied, 0);
      for (const runId of [one, two])
        assert.deepStrictEqual(yield* eventsOf(other, runId), yield* eventsOf(world, runId));
      const found = yield* MemoryDocumentStore.make(other.documents).get("policies", "user");
      assert.deepStrictEqual(found.value, { rules: [{ b: 1, a: [2] }] });
      const hashes = yield* Effect.forEach([world, other], (side) =>
        Effect.map(Inventory.take(setOf(side)), Inventory.totalHash),
      );
      assert.deepStrictEqual(hashes, [report.hash, report.hash]);
      const back = World.make();
      assert.strictEqual((yield* copy(other, back)).hash, report.hash);
    }),
  );

  it.effect("makes the readable tree of each run where people look for one", () =>
    Effect.gen(function* () {
      const { one, world } = yield* filled;
      const other = World.make();
      const report = yield* copy(world, other);
      assert.deepStrictEqual(report.untreed, []);
      assert.deepStrictEqual(
        [...(other.mirrors.trees.get(one)?.keys() ?? [])].toSorted(),
        [...(world.mirrors.trees.get(one)?.keys() ?? [])].toSorted(),
      );
    }),
  );

  it.effect("leaves out what belongs to processes, and no other collection", () =>
    Effect.gen(function* () {
      const { world } = yield* filled;
      const documents = MemoryDocumentStore.make(world.documents);
      for (const collection of leftOutCollections) yield* documents.put(collection, "left", 0, 1);
      const other = World.make();
      yield* copy(world, other);
      const names = yield* documents.collections;
      assert.deepStrictEqual(leftOutCollections, ["hosts", "run-summaries", "storage-copies"]);
      assert.deepStrictEqual(
        yield* MemoryDocumentStore.make(other.documents).collections,
        names.filter((name) => !leftOutCollections.includes(name)),
      );
    }),
  );

  it.effect("made again writes nothing, and one that was stopped anywhere is completed", () =>
    Effect.gen(function* () {
      const { world } = yield* filled;
      const whole = World.make();
      const first = yield* copy(world, whole);
      const again = yield* copy(world, whole);
      assert.deepStrictEqual(
        [again.runs.copied, again.blobs.copied, again.documents.copied, again.hash],
        [0, 0, 0, first.hash],
      );
      const writes = first.runs.copied + first.blobs.copied + first.documents.copied + 1;
      for (let allowed = 0; allowed < writes; allowed += 1) {
        const other = World.make();
        const stopped = yield* codeOf(copy(world, other, {}, breaking(setOf(other), allowed)));
        assert.strictEqual(stopped, "storage.full", `${allowed}`);
        const completed = yield* copy(world, other);
        assert.strictEqual(completed.hash, first.hash, `${allowed}`);
        assert.notInclude(yield* MemoryDocumentStore.make(other.documents).collections, "storage-copies");
      }
    }),
  );

  it.effect("over something else of the same name is refused before anything is written", () =>
    Effect.gen(function* () {
      const { one, world } = yield* filled;
      const other = World.make();
      yield* MemoryDocumentStore.make(other.documents).put("policies", "user", 0, { rules: [] });
      const failure = yield* Effect.flip(copy(world, other));
      assert.strictEqual(failure.reason.code, "storage.copy_conflict");
      assert.deepStrictEqual(failure.reason.details, { conflicts: ["document policies/user"] });
      assert.strictEqual(other.journals.journals.size, 0);
      assert.deepStrictEqual(yield* MemoryBlobStore.make(other.blobs).scopes, []);
      const third = World.make();
      const record = world.journals.journals.get(one)?.record;
      assert.isDefined(record);
      if (record === undefined) return;
      yield* MemoryRunJournal.make(third.journals).create(record);
      assert.strictEqual(yield* codeOf(copy(world, third)), "storage.copy_conflict");
    }),
  );

  it.effect("of a storage in which a living process carries a run on is refused, and says which run", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start([{ error: { hang: true } }]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        const other = World.make();
        const failure = yield* Effect.flip(copy(world, other));
        assert.strictEqual(failure.reason.code, "storage.in_use");
        assert.include(failure.message, run.runId);
        assert.strictEqual(other.journals.journals.size, 0);
        yield* run.cancel;
        assert.strictEqual((yield* copy(world, other)).runs.copied, 1);
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("of a damaged run is refused with what is wrong, or leaves that run out with all that is its own", () =>
    Effect.gen(function* () {
      const { one, two, world } = yield* filled;
      yield* MemoryRunJournal.damage(world.journals, one, 9);
      const other = World.make();
      const failure = yield* Effect.flip(copy(world, other));
      assert.strictEqual(failure.reason.code, "journal.corrupt");
      assert.include(failure.message, one);
      assert.strictEqual(other.journals.journals.size, 0);
      const report = yield* copy(world, other, { leaveOutDamaged: true });
      assert.deepStrictEqual(
        report.leftOut.map(({ code, id, kind }) => [kind, id, code]),
        [["run", one, "journal.corrupt"]],
      );
      assert.deepStrictEqual([...other.journals.journals.keys()], [two]);
      assert.notInclude(yield* MemoryBlobStore.make(other.blobs).scopes, one);
    }),
  );

  it.effect("of a run whose content is gone is refused", () =>
    Effect.gen(function* () {
      const { one, world } = yield* filled;
      yield* MemoryBlobStore.make(world.blobs).removeScope(one);
      assert.strictEqual(yield* codeOf(copy(world, World.make())), "blob.missing");
    }),
  );

  it.effect("that the other storage does not give back as it was written is no copy", () =>
    Effect.gen(function* () {
      const { world } = yield* filled;
      const other = World.make();
      const set = setOf(other);
      const forgetful = { ...set.documents, put: () => Effect.succeed(1) };
      assert.strictEqual(yield* codeOf(copy(world, other, {}, { documents: forgetful })), "storage.copy_unverified");
    }),
  );

  it.effect("of a run that was never admitted, or waits, goes on where it was copied to", () =>
    Effect.gen(function* () {
      const world = World.make();
      const parked = yield* play(World.publishing, { world, profile: { document: waiting } });
      assert.strictEqual(parked.outcome.status, "awaiting_approval");
      yield* MemoryRunJournal.make(world.journals).create({
        runId: RunId.make("run_0"),
        workspaceId: parked.state.workspaceId ?? assert.fail(),
        createdAt: "2026-01-01T00:00:00.000Z",
      });
      const other = { ...World.make(), chats: world.chats };
      assert.strictEqual((yield* copy(world, other)).runs.copied, 2);
      const callId = payloadsOf(parked.events, "tool_call_awaiting_approval")[0]?.callId ?? CallId.make("");
      const whole = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const handle = yield* runs.decide(parked.runId, { approved: true, callId });
        return handle === undefined ? undefined : yield* ended(other, handle);
      }).pipe(World.inProcess(other));
      assert.strictEqual(whole?.outcome.status, "completed");
      assert.deepStrictEqual(World.textsOf(other), [...World.beginning, "They wait by the river."]);
    }),
  );
});

/** A storage that takes `allowed` writes and has no room for more. */
const breaking = (set: StorageSet, allowed: number): Partial<StorageSet> => {
  let left = allowed;
  const full = new Unavailable({ operation: "write", kind: "full", detail: "no room" });
  const limited = <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E | Unavailable> =>
    Effect.suspend((): Effect.Effect<A, E | Unavailable> => {
      left -= 1;
      return left < 0 ? Effect.fail(full) : write;
    });
  return {
    journal: { ...set.journal, create: (record, history) => limited(set.journal.create(record, history)) },
    blobs: { ...set.blobs, put: (scope, bytes) => limited(set.blobs.put(scope, bytes)) },
    documents: { ...set.documents, put: (...given) => limited(set.documents.put(...given)) },
  };
};
