import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Events from "./Events.ts";
import * as ForgetfulDisk from "./ForgetfulDisk.ts";

const { at, event, numbers, record, runId } = Events;

/** A journal whose syncs wait until they are let go, and the number of writes to it so far. */
const heldUp = Effect.gen(function* () {
  const disk = ForgetfulDisk.make();
  const waiting: Array<() => void> = [];
  const seen = { hold: false, writes: 0 };
  const journal = yield* FileRunJournal.make({
    directory: "/data",
    disk: {
      ...disk,
      write: (descriptor, bytes) => {
        seen.writes += 1;
        return disk.write(descriptor, bytes);
      },
      syncData: (descriptor, done) => {
        if (seen.hold) waiting.push(() => disk.syncData(descriptor, done));
        else disk.syncData(descriptor, done);
      },
    },
  });
  yield* journal.create(record);
  yield* journal.append(runId, at(0), [event(1)]);
  // The turn of an append ends after its answer.
  yield* Effect.yieldNow;
  seen.hold = true;
  seen.writes = 0;
  const letGo = Effect.sync(() => {
    seen.hold = false;
    for (const sync of waiting.splice(0)) sync();
  });
  return { journal, letGo, writes: () => seen.writes };
});

const now = { startImmediately: true };

describe("appends that wait for the sync of another", () => {
  it.effect("are written at once, each with its own events", () =>
    Effect.gen(function* () {
      const { journal, letGo, writes } = yield* heldUp;
      const first = yield* Effect.forkChild(journal.append(runId, at(1), [event(2)]), now);
      const second = yield* Effect.forkChild(journal.append(runId, at(2), [event(3), event(4)]), now);
      const third = yield* Effect.forkChild(journal.append(runId, at(4), [event(5)]), now);
      assert.strictEqual(writes(), 1);
      yield* letGo;
      assert.deepStrictEqual(yield* Fiber.joinAll([first, second, third]), [2, 4, 5]);
      assert.strictEqual(writes(), 2);
      const page = yield* journal.read(runId);
      assert.isUndefined(page.damage);
      assert.deepStrictEqual(
        numbers(page.events),
        [1, 2, 3, 4, 5].map((n) => [n, 1, { n }]),
      );
    }).pipe(Effect.scoped),
  );

  it.effect("leave out one that expects another number, and write the rest", () =>
    Effect.gen(function* () {
      const { journal, letGo, writes } = yield* heldUp;
      const first = yield* Effect.forkChild(journal.append(runId, at(1), [event(2)]), now);
      const stale = yield* Effect.forkChild(Effect.flip(journal.append(runId, at(1), [event(3)])), now);
      const third = yield* Effect.forkChild(journal.append(runId, at(2), [event(4)]), now);
      yield* letGo;
      assert.deepStrictEqual(yield* Fiber.joinAll([first, third]), [2, 3]);
      assert.deepInclude(yield* Fiber.join(stale), { _tag: "Conflict", expected: 1, actual: 2 });
      assert.strictEqual(writes(), 2);
      assert.deepStrictEqual(numbers((yield* journal.read(runId, { afterSeq: 1 })).events), [
        [2, 1, { n: 2 }],
        [3, 1, { n: 4 }],
      ]);
    }).pipe(Effect.scoped),
  );
});
