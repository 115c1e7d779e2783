/**
 * Restoring a run on files: what a crash leaves at any moment of it.
 */
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Stream from "effect/Stream";
import * as Events from "./Events.ts";
import * as ForgetfulDisk from "./ForgetfulDisk.ts";

const { at, event, record, runId } = Events;

const directory = "/home/data";
const remainders: ReadonlyArray<ForgetfulDisk.Remainder> = ["nothing", "beginning", "zeros", "oldSize"];

/** Events of the epochs 1, 3 and 4. */
const given: ReadonlyArray<StoredEvent> = Array.from({ length: 6 }, (_, index) => ({
  ...event(index + 1),
  seq: index + 1,
  runId,
  epoch: [1, 1, 3, 3, 3, 4][index] ?? 4,
}));

const pages = Stream.make(given.slice(0, 2), given.slice(2));

const journalOn = (disk: ForgetfulDisk.ForgetfulDisk) => FileRunJournal.make({ directory, disk });

const restored = Effect.fnUntraced(function* (disk: ForgetfulDisk.ForgetfulDisk) {
  const journal = yield* journalOn(disk);
  yield* journal.create(record, pages);
}, Effect.scoped);

/** The run is there whole, and goes on in its epoch. */
const requireWhole = Effect.fnUntraced(function* (disk: ForgetfulDisk.ForgetfulDisk) {
  const journal = yield* journalOn(disk);
  const page = yield* journal.read(runId);
  assert.deepStrictEqual([page.damage, page.epoch, page.droppedTail], [undefined, 4, 0]);
  assert.deepStrictEqual(Events.numbers(page.events), Events.numbers(given));
  assert.strictEqual(yield* journal.append(runId, at(6, 4), [event(7)]), 7);
}, Effect.scoped);

const inTheMaking = (disk: ForgetfulDisk.ForgetfulDisk): ReadonlyArray<string> =>
  disk.files().filter((path) => path.includes(".restore-"));

describe("a restore", () => {
  it.effect("that loses its power at any operation has made the run whole, or not at all and can be made again", () =>
    Effect.gen(function* () {
      const whole = ForgetfulDisk.make();
      yield* restored(whole);
      const outcomes = new Set<string>();
      for (const remainder of remainders) {
        for (let operation = 1; operation <= whole.operations() + 1; operation += 1) {
          const disk = ForgetfulDisk.make();
          disk.failFrom(operation);
          const result = yield* Effect.result(restored(disk));
          disk.powerLoss(remainder);
          const listed = yield* Effect.scoped(Effect.flatMap(journalOn(disk), (journal) => journal.list()));
          if (Result.isSuccess(result)) assert.deepStrictEqual(listed, [record], `operation ${operation}`);
          outcomes.add(`${result._tag}, ${listed.length} runs`);
          if (listed.length === 0) yield* restored(disk);
          yield* requireWhole(disk);
          assert.deepStrictEqual(inTheMaking(disk), [], `operation ${operation}, ${remainder}`);
        }
      }
      assert.deepStrictEqual([...outcomes].toSorted(), ["Failure, 0 runs", "Failure, 1 runs", "Success, 1 runs"]);
    }),
  );

  it.effect("that was stopped leaves a file which no list shows, and the next restore removes it", () =>
    Effect.gen(function* () {
      const disk = ForgetfulDisk.make();
      const stopped = Effect.sync(() => {
        disk.failFrom(1);
        return given.slice(2);
      });
      const killed = Stream.concat(Stream.make(given.slice(0, 2)), Stream.fromEffect(stopped));
      const journal = yield* journalOn(disk);
      yield* Effect.flip(journal.create(record, killed));
      disk.failFrom(Number.POSITIVE_INFINITY);
      assert.lengthOf(inTheMaking(disk), 1);
      assert.deepStrictEqual(yield* journal.list(), []);
      yield* journal.create(record);
      assert.strictEqual((yield* journal.read(runId)).epoch, 1, "nothing of it shows in a run that is made instead");
      yield* journal.remove(runId);
      assert.deepStrictEqual(inTheMaking(disk), [], "removing the run removes it too");
      yield* restored(disk);
      yield* requireWhole(disk);
    }).pipe(Effect.scoped),
  );

  it.effect("of a run that is removed meanwhile says so, and leaves no run without its events", () =>
    Effect.gen(function* () {
      const disk = ForgetfulDisk.make();
      const journal = yield* journalOn(disk);
      const removed = Effect.gen(function* () {
        yield* journal.create(record);
        yield* journal.remove(runId);
        return given.slice(2);
      });
      const result = yield* Effect.flip(
        journal.create(record, Stream.concat(Stream.make(given.slice(0, 2)), Stream.fromEffect(removed))),
      );
      assert.strictEqual(result._tag, "Unavailable");
      assert.deepStrictEqual(yield* journal.list(), []);
      yield* restored(disk);
      yield* requireWhole(disk);
    }).pipe(Effect.scoped),
  );
});
