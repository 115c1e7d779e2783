import { copyStorage } from "@cahier/application/copy/copyStorage";
import { abandonCopy } from "@cahier/application/copy/CopyMark";
import { copiesCollection } from "@cahier/application/copy/leftOutCollections";
import type { StorageSet } from "@cahier/application/copy/StorageSet";
import { damagedStates } from "@cahier/application/persist/damagedStates";
import * as States from "@cahier/application/persist/States";
import { collectBlobs } from "@cahier/application/retention/collectBlobs";
import { unlistedRuns } from "@cahier/application/run/unlistedRuns";
import { listRuns } from "@cahier/application/run/RunReader";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { OwnerId, type RunId } from "@cahier/domain/identity/Identity";
import type { RunJournal } from "@cahier/ports/RunJournal";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as MemoryBlobStore from "@cahier/storage-memory/MemoryBlobStore";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { play } from "../support/play.ts";
import * as World from "../support/World.ts";

const remembering = [World.write("They met.", "persist/notes.md"), ...World.publishing];

const setOf = (world: World.World, journal = MemoryRunJournal.make(world.journals)): StorageSet => ({
  journal,
  blobs: MemoryBlobStore.make(world.blobs),
  documents: MemoryDocumentStore.make(world.documents),
});

/** A journal whose record of one run cannot be read: it is in no list, and every look at it fails. */
const withoutRecord =
  (runId: RunId) =>
  (journal: RunJournal["Service"]): RunJournal["Service"] => ({
    ...journal,
    list: (options) =>
      Effect.map(journal.list(options), (records) => records.filter((record) => record.runId !== runId)),
    read: (id, options) => (id === runId ? Effect.fail(damaged) : journal.read(id, options)),
  });

const damaged = new Unavailable({ operation: "journal.find", kind: "other", detail: "the record is damaged" });

const inHost = <A, E, R>(world: World.World, effect: Effect.Effect<A, E, R>, options: World.ProcessOptions = {}) =>
  effect.pipe(World.inProcess(world, { name: "host", ...options }));

const codeOf = <A, R>(effect: Effect.Effect<A, Fatal, R>) =>
  Effect.map(Effect.flip(effect), (failure) => failure.reason.code);

describe("a run that is stored and in no list", () => {
  it.effect("is told of by what it has left beside its journal, and a copy without it says so", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = (yield* play(remembering, { world })).runId;
      const two = (yield* play(World.publishing, { world })).runId;
      yield* inHost(world, listRuns());
      assert.deepStrictEqual(yield* inHost(world, unlistedRuns()), []);
      const journal = withoutRecord(one);
      const found = yield* inHost(world, unlistedRuns(), { journal });
      assert.deepStrictEqual(
        found.map(({ failure, runId }) => [runId, failure.reason.code]),
        [[one, "journal.corrupt"]],
      );
      assert.include(found[0]?.failure.message, "in no list");
      const other = World.make();
      const from = setOf(world, journal(MemoryRunJournal.make(world.journals)));
      const refused = yield* Effect.flip(inHost(world, copyStorage(from, setOf(other))));
      assert.strictEqual(refused.reason.code, "journal.corrupt");
      assert.include(refused.message, one);
      const report = yield* inHost(world, copyStorage(from, setOf(other), { leaveOutDamaged: true }));
      assert.deepStrictEqual(
        report.leftOut.map(({ code, id, kind }) => [kind, id, code]),
        [["record", one, "journal.corrupt"]],
      );
      assert.deepStrictEqual([...other.journals.journals.keys()], [two]);
      assert.notInclude(yield* MemoryBlobStore.make(other.blobs).scopes, one);
      const into = setOf(world, journal(MemoryRunJournal.make(world.journals)));
      const conflict = inHost(world, copyStorage(setOf(world), into));
      assert.strictEqual(yield* codeOf(conflict), "storage.copy_conflict");
    }),
  );
});

describe("a state whose content is gone", () => {
  it.effect("is told of, and left out of a copy with its manifest", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { runId } = yield* play(remembering, { world });
      assert.deepStrictEqual(yield* inHost(world, damagedStates()), []);
      yield* MemoryBlobStore.make(world.blobs).removeScope(States.scopeOf(runId));
      const found = yield* inHost(world, damagedStates());
      assert.deepStrictEqual(
        found.map(({ failure, stateId }) => [stateId, failure.reason.code]),
        [[runId, "agent.persistent_state_manifest_mismatch"]],
      );
      const other = World.make();
      assert.strictEqual(
        yield* codeOf(inHost(world, copyStorage(setOf(world), setOf(other)))),
        "agent.persistent_state_manifest_mismatch",
      );
      const report = yield* inHost(world, copyStorage(setOf(world), setOf(other), { leaveOutDamaged: true }));
      assert.deepStrictEqual(
        report.leftOut.map(({ id, kind }) => [kind, id]),
        [["state", runId]],
      );
      const collections = yield* MemoryDocumentStore.make(other.documents).collections;
      assert.isEmpty(collections.filter((name) => name.startsWith(States.statesCollection)));
    }),
  );
});

describe("a state that a newer version has written", () => {
  it.effect("is no damage, and is copied", () =>
    Effect.gen(function* () {
      const world = World.make();
      const documents = MemoryDocumentStore.make(world.documents);
      const collection = `${States.statesCollection}/chat_0000000000000001`;
      yield* documents.put(collection, "state", 0, { schemaVersion: 2 });
      assert.deepStrictEqual(yield* inHost(world, damagedStates()), []);
      const other = World.make();
      assert.deepStrictEqual((yield* inHost(world, copyStorage(setOf(world), setOf(other)))).leftOut, []);
      assert.include(yield* MemoryDocumentStore.make(other.documents).collections, collection);
    }),
  );
});

describe("a copy that was broken off", () => {
  const mark = (world: World.World, owner: string) =>
    MemoryDocumentStore.make(world.documents).put(copiesCollection, "present", 0, {
      owner: { ownerId: OwnerId.make(owner), machine: "here", pid: 7, startedAt: "0" },
    });

  it.effect("can be given up, and its storage is looked after again", () =>
    Effect.gen(function* () {
      const world = World.make();
      assert.isFalse(yield* inHost(world, abandonCopy(setOf(world))));
      yield* mark(world, "owner_copier");
      assert.strictEqual(yield* codeOf(inHost(world, collectBlobs())), "storage.in_use");
      assert.isTrue(yield* inHost(world, abandonCopy(setOf(world))));
      assert.deepStrictEqual(yield* inHost(world, collectBlobs()), { blobs: 0, bytes: 0 });
      assert.isFalse(yield* inHost(world, abandonCopy(setOf(world))));
    }),
  );

  it.effect("is not given up while its process lives, or may live on another machine", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* mark(world, "owner_copier");
      for (const liveness of ["running", "elsewhere"] as const) {
        world.liveness.set("owner_copier", liveness);
        assert.strictEqual(yield* codeOf(inHost(world, abandonCopy(setOf(world)))), "storage.in_use", liveness);
      }
      assert.isTrue(yield* inHost(world, abandonCopy(setOf(world), { evenElsewhere: true })));
      yield* mark(world, "owner_copier");
      world.liveness.set("owner_copier", "running");
      const evenElsewhere = abandonCopy(setOf(world), { evenElsewhere: true });
      assert.strictEqual(yield* codeOf(inHost(world, evenElsewhere)), "storage.in_use");
    }),
  );

  it.effect("is known by the process that makes it, and by a later one that makes it again", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* play(World.publishing, { world });
      const other = World.make();
      yield* mark(other, "owner_before");
      const full = new Unavailable({ operation: "put", kind: "full", detail: "no room" });
      const to = setOf(other);
      const journal = { ...to.journal, create: () => Effect.fail(full) };
      assert.strictEqual(yield* codeOf(inHost(world, copyStorage(setOf(world), { ...to, journal }))), "storage.full");
      const { value } = yield* to.documents.get(copiesCollection, "present");
      assert.include(JSON.stringify(value), "owner_host");
      yield* inHost(world, copyStorage(setOf(world), to));
      assert.notInclude(yield* to.documents.collections, copiesCollection);
    }),
  );
});
