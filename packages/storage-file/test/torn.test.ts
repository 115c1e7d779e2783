import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import * as JournalLine from "@cahier/storage-file/JournalLine";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Events from "./Events.ts";
import * as ForgetfulDisk from "./ForgetfulDisk.ts";

const { at, event, events, numbers, ownerChanged, record, runId } = Events;

const path = `/data/${Events.runFolder}/events.jsonl`;

/** A journal with two batches on a disk of its own. */
const twoBatches = Effect.gen(function* () {
  const disk = ForgetfulDisk.make();
  const open = FileRunJournal.make({ directory: "/data", disk });
  yield* Effect.scoped(
    Effect.gen(function* () {
      const journal = yield* open;
      yield* journal.create(record);
      yield* journal.append(runId, at(0), events(1, 2));
      yield* journal.append(runId, at(2), events(3, 5));
    }),
  );
  const bytes = disk.bytesOf(path);
  return { disk, open, bytes, whole: Buffer.from(bytes).indexOf('{"seq":3,') };
});

/** One batch as somebody may have written it. */
const batch = (
  firstSeq: number,
  epoch: number,
  given: ReadonlyArray<Parameters<typeof JournalLine.encode>[1]>,
): Buffer =>
  Buffer.from(
    given
      .map((one, index) => JournalLine.encode(runId, one, { seq: firstSeq + index, epoch, index, size: given.length }))
      .join(""),
  );

const extended = Effect.fnUntraced(function* (...more: ReadonlyArray<Uint8Array>) {
  const { bytes, disk, open } = yield* twoBatches;
  disk.setBytes(path, Buffer.concat([bytes, ...more]));
  return { disk, journal: yield* open };
});

describe("the end of a journal", () => {
  it.effect("a last batch that is cut at any byte is dropped, and the next append takes its place", () =>
    Effect.gen(function* () {
      const { bytes, whole } = yield* twoBatches;
      for (let length = whole; length < bytes.length; length += 1) {
        const { disk, open } = yield* twoBatches;
        disk.setBytes(path, bytes.slice(0, length));
        const cut = bytes.slice(whole, length);
        const journal = yield* open;
        const torn = yield* journal.read(runId);
        assert.deepStrictEqual([torn.lastSeq, torn.damage], [2, undefined], `cut at ${length}`);
        const feeds = cut.filter((byte) => byte === 0x0a).length;
        assert.strictEqual(torn.droppedTail, feeds + (length === whole || cut.at(-1) === 0x0a ? 0 : 1));
        assert.strictEqual(yield* journal.append(runId, at(2), [event(9)]), 3);
        assert.deepStrictEqual(numbers((yield* journal.read(runId)).events).slice(2), [[3, 1, { n: 9 }]]);
        const kept = disk.files().filter((file) => file.includes(".cut-"));
        assert.deepStrictEqual(kept, cut.length > 0 ? [`${path}.cut-1`] : []);
        if (cut.length > 0) assert.deepStrictEqual(Buffer.from(disk.bytesOf(`${path}.cut-1`)), Buffer.from(cut));
      }
    }).pipe(Effect.scoped),
  );

  it.effect("reading alone repairs nothing", () =>
    Effect.gen(function* () {
      const { bytes, disk, open } = yield* twoBatches;
      disk.setBytes(path, bytes.slice(0, -3));
      const journal = yield* open;
      yield* journal.read(runId);
      yield* Effect.flip(journal.append(runId, at(5), [event(6)]));
      assert.deepStrictEqual(disk.bytesOf(path), bytes.slice(0, -3));
    }).pipe(Effect.scoped),
  );

  it.effect("a claim repairs a torn end too", () =>
    Effect.gen(function* () {
      const { bytes, disk, open } = yield* twoBatches;
      disk.setBytes(path, bytes.slice(0, -3));
      const journal = yield* open;
      assert.deepStrictEqual(yield* journal.claim(runId, 1, ownerChanged(3)), { epoch: 2, lastSeq: 3 });
      assert.strictEqual((yield* journal.read(runId)).droppedTail, 0);
    }).pipe(Effect.scoped),
  );

  it.effect("zeros at the end are a torn write, whatever lines they cut", () =>
    Effect.gen(function* () {
      const { bytes, disk, open, whole } = yield* twoBatches;
      const holed = Buffer.from(bytes);
      holed.fill(0, whole, whole + 20);
      disk.setBytes(path, holed);
      const page = yield* (yield* open).read(runId);
      assert.deepStrictEqual([page.lastSeq, page.droppedTail, page.damage], [2, 3, undefined]);
    }).pipe(Effect.scoped),
  );

  it.effect("an unreadable whole line at the end is damage: its append had returned", () =>
    Effect.gen(function* () {
      const { bytes, disk, open } = yield* twoBatches;
      const changed = Buffer.from(bytes);
      changed[changed.lastIndexOf('"n":5') + 4] = 0x36;
      disk.setBytes(path, changed);
      const page = yield* (yield* open).read(runId);
      assert.deepStrictEqual([page.lastSeq, page.damage?.line, page.damage?.seq], [4, 5, 5]);
      assert.deepStrictEqual(numbers(page.events).at(-1), [4, 1, { n: 4 }]);
    }).pipe(Effect.scoped),
  );
});

describe("what counts in a journal", () => {
  it.effect("a batch of an older epoch behind the owner's event is void", () =>
    Effect.gen(function* () {
      const { journal } = yield* extended(
        batch(6, 2, [ownerChanged(6)]),
        batch(6, 1, events(60, 61)),
        batch(7, 1, events(70, 71)),
        batch(7, 2, [event(7)]),
      );
      const page = yield* journal.read(runId, { afterSeq: 5 });
      assert.deepStrictEqual(numbers(page.events), [
        [6, 2, { owner: "owner_6" }],
        [7, 2, { n: 7 }],
      ]);
      assert.deepStrictEqual([page.lastSeq, page.damage, page.droppedTail], [7, undefined, 0]);
    }).pipe(Effect.scoped),
  );

  it.effect("of two batches with one sequence number the first counts, and the journal can be written on", () =>
    Effect.gen(function* () {
      const { journal } = yield* extended(batch(6, 1, events(6, 8)), batch(6, 1, events(60, 69)));
      assert.deepStrictEqual((yield* journal.read(runId)).lastSeq, 8);
      assert.strictEqual(yield* journal.append(runId, at(8), [event(9)]), 9);
      const page = yield* journal.read(runId, { afterSeq: 7 });
      assert.deepStrictEqual(numbers(page.events), [
        [8, 1, { n: 8 }],
        [9, 1, { n: 9 }],
      ]);
    }).pipe(Effect.scoped),
  );

  it.effect("a gap in the sequence is damage, and so is a batch with lines missing before others", () =>
    Effect.gen(function* () {
      const incomplete = batch(6, 1, events(6, 7));
      for (const more of [
        batch(7, 1, [event(7)]),
        Buffer.concat([incomplete.subarray(0, incomplete.indexOf(0x0a) + 1), batch(7, 1, [event(7)])]),
      ]) {
        const { journal } = yield* extended(more);
        const page = yield* journal.read(runId);
        assert.strictEqual(page.lastSeq, 5);
        assert.isDefined(page.damage);
        assert.strictEqual((yield* Effect.flip(journal.append(runId, at(5), [event(6)])))._tag, "Corrupt");
      }
    }).pipe(Effect.scoped),
  );

  it.effect("pages are right across many blocks of the index, with void batches between them", () =>
    Effect.gen(function* () {
      const lines = Array.from({ length: 300 }, (_, n) => [
        batch(6 + n * 3, 1, events(6 + n * 3, 8 + n * 3)),
        batch(7 + n * 3, 1, [event(9999)]),
      ]);
      const { journal } = yield* extended(...lines.flat());
      for (const afterSeq of [0, 63, 64, 65, 200, 899, 905]) {
        const page = yield* journal.read(runId, { afterSeq, limit: 70 });
        const expected = events(afterSeq + 1, Math.min(905, afterSeq + 70));
        assert.deepStrictEqual(
          page.events.map((one) => one.id),
          expected.map((one) => one.id),
        );
      }
      for (const beforeSeq of [2, 64, 65, 66, 500, 906, 9999]) {
        const page = yield* journal.read(runId, { beforeSeq, limit: 70 });
        const last = Math.min(905, beforeSeq - 1);
        assert.deepStrictEqual(
          page.events.map((one) => one.id),
          events(Math.max(1, last - 69), last).map((one) => one.id),
        );
      }
    }).pipe(Effect.scoped),
  );
});
