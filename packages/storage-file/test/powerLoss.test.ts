import * as FileBlobStore from "@cahier/storage-file/FileBlobStore";
import * as FileDocumentStore from "@cahier/storage-file/FileDocumentStore";
import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import * as JournalLine from "@cahier/storage-file/JournalLine";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Events from "./Events.ts";
import * as ForgetfulDisk from "./ForgetfulDisk.ts";

const { at, event, events, ownerChanged, record, runId } = Events;

const directory = "/home/data";
const journalPath = `${directory}/${Events.runFolder}/events.jsonl`;
const remainders: ReadonlyArray<ForgetfulDisk.Remainder> = ["nothing", "beginning", "zeros", "oldSize"];

/**
 * Runs a scenario once to count its disk operations, then once for each of them with the power going out there, and
 * checks what is left. The scenario gives how far it came, in its own measure.
 */
const atEveryOperation = Effect.fnUntraced(function* <Progress>(
  scenario: (disk: ForgetfulDisk.ForgetfulDisk, done: (progress: Progress) => void) => Effect.Effect<void, unknown>,
  check: (disk: ForgetfulDisk.ForgetfulDisk, done: ReadonlyArray<Progress>) => Effect.Effect<void, unknown>,
) {
  const whole = ForgetfulDisk.make();
  yield* scenario(whole, () => undefined);
  assert.isAbove(whole.operations(), 5);
  for (const remainder of remainders) {
    for (let operation = 1; operation <= whole.operations() + 1; operation += 1) {
      const disk = ForgetfulDisk.make();
      disk.failFrom(operation);
      const done: Array<Progress> = [];
      const result = yield* Effect.result(scenario(disk, (progress) => done.push(progress)));
      assert.strictEqual(Result.isSuccess(result), operation > whole.operations(), `operation ${operation}`);
      disk.powerLoss(remainder);
      yield* Effect.withSpan(check(disk, done), `${remainder} at operation ${operation}`);
    }
  }
});

describe("a loss of power at any operation", () => {
  it.effect("keeps what a journal said was written, whole batches only, and the run can be written on", () =>
    atEveryOperation<number>(
      (disk, done) =>
        Effect.scoped(
          Effect.gen(function* () {
            const journal = yield* FileRunJournal.make({ directory, disk });
            yield* journal.create(record);
            done(0);
            done(yield* journal.append(runId, at(0), events(1, 3)));
            done((yield* journal.claim(runId, 1, ownerChanged(4))).lastSeq);
            done(yield* journal.append(runId, at(4, 2), events(5, 6)));
          }),
        ),
      (disk, done) =>
        Effect.scoped(
          Effect.gen(function* () {
            const journal = yield* FileRunJournal.make({ directory, disk });
            const known = done.at(-1);
            const listed = yield* journal.list();
            if (listed.length === 0) {
              assert.isUndefined(known);
              yield* journal.create(record);
            }
            const page = yield* journal.read(runId);
            assert.isUndefined(page.damage);
            assert.isAtLeast(page.lastSeq, known ?? 0);
            assert.include([0, 3, 4, 6], page.lastSeq);
            assert.isAtLeast(page.epoch, page.lastSeq >= 4 ? 2 : 1);
            assert.deepStrictEqual(
              page.events.map((one) => one.id),
              events(1, page.lastSeq).map((one) => one.id),
            );
            const claimed = yield* journal.claim(runId, page.epoch, ownerChanged(50));
            assert.strictEqual(claimed.lastSeq, page.lastSeq + 1);
            assert.strictEqual((yield* journal.read(runId)).droppedTail, 0);
          }),
        ),
    ),
  );

  it.effect("repairs a torn end or leaves it, and an append behind it counts whole or not at all", () =>
    atEveryOperation<number>(
      (disk, done) =>
        Effect.scoped(
          Effect.gen(function* () {
            const journal = yield* FileRunJournal.make({ directory, disk });
            yield* journal.create(record);
            yield* journal.append(runId, at(0), events(1, 3));
            done(3);
            const bytes = disk.bytesOf(journalPath);
            const torn = [0, 1].map((index) =>
              JournalLine.encode(runId, event(4 + index), { seq: 4 + index, epoch: 1, index, size: 3 }),
            );
            disk.setBytes(journalPath, Buffer.concat([bytes, Buffer.from(torn.join(""))]));
            done(yield* journal.append(runId, at(3), [event(9)]));
          }),
        ),
      (disk, done) =>
        Effect.scoped(
          Effect.gen(function* () {
            const journal = yield* FileRunJournal.make({ directory, disk });
            if (done.length === 0) return;
            const page = yield* journal.read(runId);
            assert.isUndefined(page.damage);
            assert.include([3, 4], page.lastSeq);
            assert.isAtLeast(page.lastSeq, done.at(-1) ?? 0);
            assert.strictEqual(yield* journal.append(runId, at(page.lastSeq), [event(10)]), page.lastSeq + 1);
          }),
        ),
    ),
  );

  it.effect("removes a run or not, and it can be removed again and made anew", () =>
    atEveryOperation<"created" | "removed">(
      (disk, done) =>
        Effect.scoped(
          Effect.gen(function* () {
            const journal = yield* FileRunJournal.make({ directory, disk });
            yield* journal.create(record);
            yield* journal.append(runId, at(0), events(1, 3));
            done("created");
            yield* journal.remove(runId);
            done("removed");
          }),
        ),
      (disk, done) =>
        Effect.scoped(
          Effect.gen(function* () {
            const journal = yield* FileRunJournal.make({ directory, disk });
            if (done.at(-1) === "removed") assert.deepStrictEqual(yield* journal.list(), []);
            yield* journal.remove(runId);
            yield* journal.create(record);
            assert.strictEqual((yield* journal.read(runId)).lastSeq, 0);
          }),
        ),
    ),
  );

  it.effect("keeps every blob that was stored, and no other bytes under its name", () =>
    atEveryOperation<string>(
      (disk, done) =>
        Effect.gen(function* () {
          const store = FileBlobStore.make({ directory, disk });
          for (const text of ["one", "two", "one"]) done(yield* store.put("run_1", Buffer.from(text)));
        }),
      (disk, done) =>
        Effect.gen(function* () {
          const store = FileBlobStore.make({ directory, disk });
          const listed = yield* store.list("run_1");
          assert.includeMembers(
            listed.map((one): string => one.sha256),
            [...done],
          );
          for (const { sha256 } of listed) yield* store.get("run_1", sha256);
          yield* store.put("run_1", Buffer.from("two"));
        }),
    ),
  );

  it.effect("keeps a document at the revision that was put, or at the next one", () =>
    atEveryOperation<number>(
      (disk, done) =>
        Effect.gen(function* () {
          const store = FileDocumentStore.make({ directory, disk });
          for (const revision of [0, 1, 2]) done(yield* store.put("inbox/run_1", "request", revision, { revision }));
        }),
      (disk, done) =>
        Effect.gen(function* () {
          const store = FileDocumentStore.make({ directory, disk });
          const { damaged, documents } = yield* store.list("inbox/run_1");
          assert.deepStrictEqual(damaged, []);
          const revision = documents[0]?.revision ?? 0;
          assert.include([done.length, done.length + 1], revision);
          if (revision > 0) assert.deepStrictEqual(documents[0]?.value, { revision: revision - 1 });
          assert.strictEqual(yield* store.put("inbox/run_1", "request", revision, "next"), revision + 1);
        }),
    ),
  );
});

describe("a document", () => {
  it.effect("stands in its own file after a loss of power, not only under the name of its revision", () =>
    Effect.gen(function* () {
      const disk = ForgetfulDisk.make();
      const store = FileDocumentStore.make({ directory, disk });
      yield* store.put("settings", "host", 0, "one");
      yield* store.put("settings", "host", 1, "two");
      disk.powerLoss();
      const file: unknown = JSON.parse(
        Buffer.from(disk.bytesOf(`${directory}/documents/settings/host.json`)).toString(),
      );
      assert.deepInclude(file, { revision: 2, value: "two" });
    }),
  );
});

describe("a disk under a journal", () => {
  const opened = Effect.gen(function* () {
    const disk = ForgetfulDisk.make();
    const journal = yield* FileRunJournal.make({ directory, disk });
    yield* journal.create(record);
    yield* journal.append(runId, at(0), [event(1)]);
    return { disk, journal };
  });

  it.effect(
    "that refuses to write says that it is full, read-only or denied, and the run goes on when it writes again",
    () =>
      Effect.gen(function* () {
        for (const [code, kind] of [
          ["ENOSPC", "full"],
          ["EROFS", "readOnly"],
          ["EACCES", "denied"],
          ["EIO", "other"],
        ] as const) {
          const { disk, journal } = yield* opened;
          disk.failNext("write", { code });
          const fault = yield* Effect.flip(journal.append(runId, at(1), [event(2)]));
          assert.deepStrictEqual([fault._tag, fault._tag === "Unavailable" && fault.kind], ["Unavailable", kind]);
          assert.strictEqual((yield* journal.read(runId)).lastSeq, 1);
          assert.strictEqual(yield* journal.append(runId, at(1), [event(2)]), 2);
        }
      }).pipe(Effect.scoped),
  );

  it.effect("may write the beginning of a batch: it does not count, and the next append takes its place", () =>
    Effect.gen(function* () {
      const { disk, journal } = yield* opened;
      disk.failNext("write", { shortBy: 10 });
      const fault = yield* Effect.flip(journal.append(runId, at(1), events(2, 3)));
      assert.deepStrictEqual([fault._tag, fault._tag === "Unavailable" && fault.kind], ["Unavailable", "full"]);
      const torn = yield* journal.read(runId);
      assert.deepStrictEqual([torn.lastSeq, torn.droppedTail], [1, 2]);
      assert.strictEqual(yield* journal.append(runId, at(1), [event(4)]), 2);
      disk.powerLoss();
    }).pipe(Effect.scoped),
  );

  it.effect(
    "makes an append after a failed sync look again, and what it then finds is durable with the next append",
    () =>
      Effect.gen(function* () {
        const { disk, journal } = yield* opened;
        disk.failNext("syncData", { code: "EIO" });
        yield* Effect.flip(journal.append(runId, at(1), [event(2)]));
        const conflict = yield* Effect.flip(journal.append(runId, at(1), [event(2)]));
        assert.deepStrictEqual([conflict._tag, conflict._tag === "Conflict" && conflict.actual], ["Conflict", 2]);
        assert.strictEqual(yield* journal.append(runId, at(2), [event(3)]), 3);
        disk.powerLoss();
        const again = yield* FileRunJournal.make({ directory, disk });
        assert.strictEqual((yield* again.read(runId)).lastSeq, 3);
      }).pipe(Effect.scoped),
  );

  it.effect(
    "is asked once for appends that wait together, each a batch of its own, checked against those before it",
    () =>
      Effect.gen(function* () {
        const { disk, journal } = yield* opened;
        const group = Effect.all(
          [
            Effect.result(journal.append(runId, at(1), [event(2)])),
            Effect.result(journal.append(runId, at(2), events(3, 4))),
            Effect.result(journal.append(runId, at(2), events(5, 6))),
            Effect.result(journal.append(runId, at(4), events(5, 5))),
          ],
          { concurrency: "unbounded" },
        );
        const before = disk.operations();
        const tags = (yield* group).map((result) => (Result.isSuccess(result) ? result.success : result.failure._tag));
        assert.deepStrictEqual(tags, [2, 4, "Conflict", 5]);
        assert.isAtMost(disk.operations() - before, 4, "more than two writes and two syncs");
        assert.match(Buffer.from(disk.bytesOf(journalPath)).toString(), /"batch":\[1,2\]/);
      }).pipe(Effect.scoped),
  );
});
