import { assert, describe, it } from "@effect/vitest";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import { NotFound, Unavailable } from "@cahier/ports/StorageFault";
import * as FaultyBlobStore from "@cahier/testkit/doubles/FaultyBlobStore";
import * as FaultyDisk from "@cahier/testkit/doubles/FaultyDisk";
import * as FaultyDocumentStore from "@cahier/testkit/doubles/FaultyDocumentStore";
import * as JumpingClock from "@cahier/testkit/doubles/JumpingClock";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as TestClock from "effect/testing/TestClock";

const fault = new Unavailable({ operation: "put", kind: "full", detail: "The disk is full." });
const absent = new NotFound({ entity: "thing", id: "absent" });

/** Stores that count what was put into them and keep nothing. */
const counting = () => {
  const count = { put: 0 };
  const blobs: BlobStore["Service"] = {
    put: (_, bytes) => Effect.sync(() => (count.put += 1)).pipe(Effect.as(Sha256.ofBytes(bytes))),
    get: () => Effect.fail(absent),
    stat: () => Effect.fail(absent),
    list: () => Effect.succeed([]),
    scopes: Effect.succeed([]),
    remove: () => Effect.void,
    removeScope: () => Effect.void,
  };
  const documents: DocumentStore["Service"] = {
    put: () => Effect.sync(() => (count.put += 1)),
    get: () => Effect.fail(absent),
    list: () => Effect.succeed({ documents: [], damaged: [] }),
    collections: Effect.succeed([]),
    remove: () => Effect.void,
  };
  return { count, blobs, documents };
};

/** How three writes end. */
const thrice = <A, E>(write: Effect.Effect<A, E>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.forEach([1, 2, 3], () => Effect.map(Effect.result(write), ({ _tag }) => _tag));

describe("a faulty store", () => {
  it.effect.each([
    { moment: "beforeWriting" as const, forever: false, tags: ["Success", "Failure", "Success"], put: 2 },
    { moment: "afterWriting" as const, forever: false, tags: ["Success", "Failure", "Success"], put: 3 },
    { moment: "beforeWriting" as const, forever: true, tags: ["Success", "Failure", "Failure"], put: 1 },
  ])("fails its second put $moment (and every later one: $forever)", ({ forever, moment, put, tags }) =>
    Effect.gen(function* () {
      const plan = { put: 2, fault, moment, forever };
      const ofBlobs = counting();
      const blobs = FaultyBlobStore.make(ofBlobs.blobs, plan);
      assert.deepStrictEqual(yield* thrice(blobs.put("scope", new Uint8Array([1]))), tags);
      assert.strictEqual(ofBlobs.count.put, put);
      const ofDocuments = counting();
      const documents = FaultyDocumentStore.make(ofDocuments.documents, plan);
      assert.deepStrictEqual(yield* thrice(documents.put("settings", "host", 0, {})), tags);
      assert.strictEqual(ofDocuments.count.put, put);
    }),
  );
});

describe("a clock that jumps", () => {
  it.effect("shows another time from then on, forward and back, and waits as long as before", () =>
    Effect.gen(function* () {
      const { clock, jump } = JumpingClock.make(yield* Clock.Clock);
      const now = Effect.provideService(Clock.currentTimeMillis, Clock.Clock, clock);
      yield* TestClock.setTime(1_000_000);
      assert.strictEqual(yield* now, 1_000_000);
      jump(3_600_000);
      assert.strictEqual(yield* now, 4_600_000);
      assert.strictEqual(clock.currentTimeMillisUnsafe(), 4_600_000);
      jump(-7_200_000);
      assert.strictEqual(yield* now, -2_600_000);
      assert.strictEqual(clock.currentTimeNanosUnsafe(), -2_600_000_000_000n);
      const waiting = yield* Effect.forkChild(
        Effect.provideService(Effect.as(Effect.sleep(50), "woken"), Clock.Clock, clock),
      );
      yield* TestClock.adjust(50);
      assert.strictEqual(waiting.pollUnsafe()?._tag, "Success");
    }),
  );
});

/** A disk of one file that counts what it is asked for. */
const disk = () => {
  const bytes: Array<number> = [];
  const asked: Array<string> = [];
  const later: Array<() => void> = [];
  return {
    bytes,
    asked,
    later: (_: number, done: () => void) => void later.push(done),
    wake: () => {
      for (const done of later.splice(0)) done();
    },
    open: (_path: string, mode: "read" | "create") => {
      asked.push(mode);
      return 1;
    },
    write: (_: number, given: Uint8Array) => {
      bytes.push(...given);
      return given.length;
    },
    writeAt: (_: number, given: Uint8Array, position: number) => {
      bytes.splice(position, given.length, ...given);
      return given.length;
    },
    makeDirectory: () => void asked.push("directory"),
    link: () => void asked.push("link"),
    syncData: (_: number, done: (error: Error | null) => void) => {
      asked.push("sync");
      done(null);
    },
    syncDirectory: (_: string, done: (error: Error | null) => void) => {
      asked.push("sync directory");
      done(null);
    },
  };
};

const four = new Uint8Array([1, 2, 3, 4]);

describe("a faulty disk", () => {
  it("that is full takes half of the write that fills it, and nothing that takes room after that, until there is room", () => {
    const real = disk();
    const { counts, disk: faulty, set } = FaultyDisk.make(real);
    set({ _tag: "Full", at: 2 });
    assert.strictEqual(faulty.write(1, four), 4);
    assert.strictEqual(faulty.write(1, four), 2);
    for (const refused of [
      () => faulty.write(1, four),
      () => faulty.writeAt(1, four, 0),
      () => faulty.open("/new", "create"),
      () => faulty.makeDirectory(),
      () => faulty.link(),
    ])
      assert.throws(refused, /ENOSPC/);
    assert.strictEqual(faulty.open("/old", "read"), 1);
    assert.deepStrictEqual(counts(), { writes: 7, syncs: 0 });
    assert.deepStrictEqual(real.bytes, [1, 2, 3, 4, 1, 2]);
    set(null);
    assert.strictEqual(faulty.write(1, four), 4);
    assert.strictEqual(faulty.open("/new", "create"), 1);
  });

  it("tears one write: half of it is there, and it failed", () => {
    const real = disk();
    const { disk: faulty, set } = FaultyDisk.make(real);
    set({ _tag: "Torn", at: 1 });
    assert.throws(() => faulty.write(1, four), /EIO/);
    assert.deepStrictEqual(real.bytes, [1, 2]);
    assert.strictEqual(faulty.write(1, four), 4);
  });

  it("fails one sync, of a file or a folder", () => {
    const { counts, disk: faulty, set } = FaultyDisk.make(disk());
    set({ _tag: "SyncFails", at: 2 });
    const errors: Array<string | null> = [];
    const done = (error: Error | null): void => void errors.push(error?.message ?? null);
    faulty.syncData(1, done);
    faulty.syncDirectory("/", done);
    faulty.syncData(1, done);
    assert.deepStrictEqual(errors, [null, "EIO: a sync", null]);
    assert.strictEqual(counts().syncs, 3);
  });

  it("that is slow syncs later", () => {
    const real = disk();
    const { disk: faulty, set } = FaultyDisk.make(real);
    set({ _tag: "Slow", milliseconds: 100 });
    const count = { done: 0 };
    faulty.syncData(1, () => void (count.done += 1));
    assert.deepStrictEqual([count.done, real.asked], [0, []]);
    real.wake();
    assert.deepStrictEqual([count.done, real.asked], [1, ["sync"]]);
  });
});
