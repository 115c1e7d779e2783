import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import * as JournalLine from "@cahier/storage-file/JournalLine";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Events from "./Events.ts";
import * as ForgetfulDisk from "./ForgetfulDisk.ts";

const { at, event, events, numbers, ownerChanged, record, runId } = Events;

const folder = `/data/${Events.runFolder}`;

/** One event as another process writes it. */
const foreign = (seq: number, epoch: number, given = event(100)): Buffer =>
  Buffer.from(JournalLine.encode(runId, given, { seq, epoch, index: 0, size: 1 }));

/**
 * A journal with one event, and a way to let another process act once: between this one's look at the file and its
 * next write, or between that write and its sync.
 */
const contested = Effect.gen(function* () {
  const disk = ForgetfulDisk.make();
  const hooks = new Map<string, () => void>();
  const run = (name: string): void => {
    const hook = hooks.get(name);
    hooks.delete(name);
    hook?.();
  };
  const journal = yield* FileRunJournal.make({
    directory: "/data",
    disk: {
      ...disk,
      write: (descriptor, bytes) => {
        run("beforeWrite");
        const count = disk.write(descriptor, bytes);
        run("afterWrite");
        return count;
      },
    },
  });
  yield* journal.create(record);
  yield* journal.append(runId, at(0), [event(1)]);
  const others = {
    appends: (bytes: Buffer): void => {
      const descriptor = disk.open(`${folder}/events.jsonl`, "append");
      disk.write(descriptor, bytes);
      disk.close(descriptor);
    },
    takesEpoch: (epoch: number): void => disk.close(disk.open(`${folder}/owners/${epoch}`, "create")),
  };
  return { journal, others, hooks };
});

describe("an append that another process comes between", () => {
  it.effect("is a conflict when the other's batch stands first, and nothing of it is read", () =>
    Effect.gen(function* () {
      const { hooks, journal, others } = yield* contested;
      hooks.set("beforeWrite", () => others.appends(foreign(2, 1)));
      const fault = yield* Effect.flip(journal.append(runId, at(1), events(2, 3)));
      assert.deepInclude(fault, { _tag: "Conflict", expected: 1, actual: 2 });
      assert.deepStrictEqual(numbers((yield* journal.read(runId, { afterSeq: 1 })).events), [[2, 1, { n: 100 }]]);
      assert.strictEqual(yield* journal.append(runId, at(2), [event(3)]), 3);
    }).pipe(Effect.scoped),
  );

  it.effect("counts when its batch stands first, and the journal goes on behind both", () =>
    Effect.gen(function* () {
      const { hooks, journal, others } = yield* contested;
      hooks.set("afterWrite", () => others.appends(foreign(2, 1)));
      assert.strictEqual(yield* journal.append(runId, at(1), events(2, 3)), 3);
      assert.strictEqual(yield* journal.append(runId, at(3), [event(4)]), 4);
      assert.deepStrictEqual(numbers((yield* journal.read(runId)).events), [
        [1, 1, { n: 1 }],
        [2, 1, { n: 2 }],
        [3, 1, { n: 3 }],
        [4, 1, { n: 4 }],
      ]);
    }).pipe(Effect.scoped),
  );

  it.effect("is told from an equal batch of the other by its place in the file", () =>
    Effect.gen(function* () {
      const { hooks, journal, others } = yield* contested;
      hooks.set("beforeWrite", () => others.appends(foreign(2, 1)));
      assert.strictEqual((yield* Effect.flip(journal.append(runId, at(1), [event(100)])))._tag, "Conflict");
    }).pipe(Effect.scoped),
  );

  it.effect("is fenced when the event of a new owner stands first", () =>
    Effect.gen(function* () {
      const { hooks, journal, others } = yield* contested;
      hooks.set("beforeWrite", () => {
        others.takesEpoch(2);
        others.appends(foreign(2, 2, ownerChanged(2)));
      });
      const fault = yield* Effect.flip(journal.append(runId, at(1), [event(3)]));
      assert.deepInclude(fault, { _tag: "Fenced", epoch: 1, currentEpoch: 2 });
      assert.strictEqual((yield* journal.read(runId)).lastSeq, 2);
    }).pipe(Effect.scoped),
  );

  it.effect("counts when the new owner has only taken the epoch, and the next append is fenced", () =>
    Effect.gen(function* () {
      const { hooks, journal, others } = yield* contested;
      hooks.set("afterWrite", () => others.takesEpoch(2));
      assert.strictEqual(yield* journal.append(runId, at(1), [event(2)]), 2);
      const fault = yield* Effect.flip(journal.append(runId, at(2), [event(3)]));
      assert.deepInclude(fault, { _tag: "Fenced", epoch: 1, currentEpoch: 2 });
    }).pipe(Effect.scoped),
  );

  it.effect("is read on when the other wrote before it was begun", () =>
    Effect.gen(function* () {
      const { journal, others } = yield* contested;
      others.appends(foreign(2, 1));
      assert.deepInclude(yield* Effect.flip(journal.append(runId, at(1), [event(2)])), { _tag: "Conflict", actual: 2 });
      assert.strictEqual(yield* journal.append(runId, at(2), [event(3)]), 3);
    }).pipe(Effect.scoped),
  );
});

describe("a claim that another process comes between", () => {
  it.effect("puts its event behind an append of the old owner that was under way", () =>
    Effect.gen(function* () {
      const { hooks, journal, others } = yield* contested;
      hooks.set("beforeWrite", () => others.appends(foreign(2, 1)));
      assert.deepStrictEqual(yield* journal.claim(runId, 1, ownerChanged(5)), { epoch: 2, lastSeq: 3 });
      assert.deepStrictEqual(numbers((yield* journal.read(runId, { afterSeq: 1 })).events), [
        [2, 1, { n: 100 }],
        [3, 2, { owner: "owner_5" }],
      ]);
    }).pipe(Effect.scoped),
  );

  it.effect("is a conflict when a later claim's event stands first", () =>
    Effect.gen(function* () {
      const { hooks, journal, others } = yield* contested;
      hooks.set("beforeWrite", () => {
        others.takesEpoch(3);
        others.appends(foreign(2, 3, ownerChanged(3)));
      });
      assert.deepInclude(yield* Effect.flip(journal.claim(runId, 1, ownerChanged(2))), { _tag: "Conflict", actual: 3 });
      assert.deepInclude(yield* journal.read(runId), { lastSeq: 2, epoch: 3 });
    }).pipe(Effect.scoped),
  );

  it.effect("raises the epoch although it could not write its event, and the next claim goes on from there", () =>
    Effect.gen(function* () {
      const { hooks, journal } = yield* contested;
      hooks.set("beforeWrite", () => {
        throw Object.assign(new Error("full"), { code: "ENOSPC" });
      });
      assert.deepInclude(yield* Effect.flip(journal.claim(runId, 1, ownerChanged(2))), {
        _tag: "Unavailable",
        kind: "full",
      });
      assert.strictEqual((yield* journal.read(runId)).epoch, 2);
      assert.strictEqual((yield* Effect.flip(journal.append(runId, at(1), [event(2)])))._tag, "Fenced");
      assert.deepStrictEqual(yield* journal.claim(runId, 2, ownerChanged(3)), { epoch: 3, lastSeq: 2 });
    }).pipe(Effect.scoped),
  );
});

describe("a run that is removed", () => {
  it.effect("is not found by a process that had it open, and found again when it was made anew", () =>
    Effect.gen(function* () {
      const disk = ForgetfulDisk.make();
      const [one, two] = yield* Effect.all([
        FileRunJournal.make({ directory: "/data", disk }),
        FileRunJournal.make({ directory: "/data", disk }),
      ]);
      yield* one.create(record);
      yield* one.append(runId, at(0), events(1, 3));
      yield* one.claim(runId, 1, ownerChanged(4));
      yield* two.remove(runId);
      assert.strictEqual((yield* Effect.flip(one.append(runId, at(4, 2), [event(5)])))._tag, "NotFound");
      yield* two.create({ ...record, workspaceId: Events.otherWorkspaceId });
      yield* two.append(runId, at(0), events(1, 1));
      assert.deepInclude(yield* one.read(runId), { lastSeq: 1, epoch: 1 });
      assert.strictEqual(yield* one.append(runId, at(1), [event(2)]), 2);
    }).pipe(Effect.scoped),
  );
});
