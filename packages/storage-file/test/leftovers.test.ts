/**
 * What a crash leaves in a data folder is named, and can be removed, and nothing else is.
 */
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import * as FileBlobStore from "@cahier/storage-file/FileBlobStore";
import * as FileDocumentStore from "@cahier/storage-file/FileDocumentStore";
import * as FileLeftovers from "@cahier/storage-file/FileLeftovers";
import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import * as Events from "./Events.ts";
import * as ForgetfulDisk from "./ForgetfulDisk.ts";

const { at, event, events, record, runId } = Events;

const directory = "/home/data";
const folder = `${directory}/${Events.runFolder}`;

const put = (disk: ForgetfulDisk.ForgetfulDisk, path: string, text: string): void => {
  const descriptor = disk.open(path, "create");
  disk.write(descriptor, Buffer.from(text));
  disk.close(descriptor);
};

/** A folder in use, with a run, a blob and a document, and nothing left over. */
const inUse = Effect.gen(function* () {
  const disk = ForgetfulDisk.make();
  const options = { directory, disk };
  const journal = yield* FileRunJournal.make(options);
  yield* journal.create(record);
  yield* journal.append(runId, at(0), events(1, 3));
  yield* FileBlobStore.make(options).put(runId, Buffer.from("bytes"));
  for (const revision of [0, 1]) yield* FileDocumentStore.make(options).put("settings", "host", revision, revision);
  return { disk, journal, options };
});

const found = (options: FileLeftovers.Options) =>
  Effect.map(FileLeftovers.list(options), (all) => all.map(({ bytes, kind, path }) => [kind, path, bytes] as const));

describe("what is left over in a data folder", () => {
  it.effect("is nothing while nothing was stopped", () =>
    Effect.gen(function* () {
      const { options } = yield* inUse;
      assert.deepStrictEqual(yield* found(options), []);
      assert.deepStrictEqual(yield* found({ ...options, directory: "/home/other" }), []);
    }).pipe(Effect.scoped),
  );

  it.effect("is named by its kind, its place and its size", () =>
    Effect.gen(function* () {
      const { disk, options } = yield* inUse;
      const temporary = ".cahier-0123456789abcdef.tmp";
      const other = `${directory}/agent-workspaces/chats/chat_0/runs/run_lost`;
      for (const path of [`${directory}/agent-workspaces/chats/chat_0`, other.slice(0, -9), other])
        disk.makeDirectory(path);
      put(disk, `${folder}/events.jsonl.cut-1`, "torn");
      put(disk, `${folder}/events.jsonl.restore-0123456789abcdef`, "half a journal");
      put(disk, `${directory}/documents/settings/${temporary}`, "half");
      put(disk, `${directory}/agent-workspaces/blobs/${runId}/${temporary}`, "");
      put(disk, `${other}/events.jsonl`, "");
      assert.sameDeepMembers(
        [...(yield* found(options))],
        [
          ["tornEnd", `${folder}/events.jsonl.cut-1`, 4],
          ["restore", `${folder}/events.jsonl.restore-0123456789abcdef`, 14],
          ["temporary", `${directory}/documents/settings/${temporary}`, 4],
          ["temporary", `${directory}/agent-workspaces/blobs/${runId}/${temporary}`, 0],
          ["unlisted", `${other}/events.jsonl`, 0],
        ],
      );
    }).pipe(Effect.scoped),
  );

  it.effect("is not the journal of a restored run that has not got its own name yet", () =>
    Effect.gen(function* () {
      const given: ReadonlyArray<StoredEvent> = [{ ...event(1), seq: 1, runId, epoch: 2 }];
      const whole = ForgetfulDisk.make();
      const restored = (disk: ForgetfulDisk.ForgetfulDisk) =>
        Effect.scoped(
          Effect.flatMap(FileRunJournal.make({ directory, disk }), (journal) =>
            journal.create(record, Stream.make(given)),
          ),
        );
      yield* restored(whole);
      let committed = 0;
      for (let operation = 1; operation <= whole.operations(); operation += 1) {
        const disk = ForgetfulDisk.make();
        disk.failFrom(operation);
        yield* Effect.flip(restored(disk));
        disk.powerLoss();
        const options = { directory, disk };
        const names = (yield* found(options)).map(([kind]) => kind);
        const journal = yield* FileRunJournal.make(options);
        if ((yield* journal.list()).length === 0) continue;
        committed += 1;
        assert.notInclude(names, "restore", `operation ${operation}`);
        assert.strictEqual((yield* journal.read(runId)).lastSeq, 1);
      }
      assert.isAbove(committed, 0);
    }).pipe(Effect.scoped),
  );

  it.effect("can be removed, twice too, and the run goes on", () =>
    Effect.gen(function* () {
      const { disk, journal, options } = yield* inUse;
      put(disk, `${folder}/events.jsonl.cut-1`, "torn");
      const [leftover] = yield* FileLeftovers.list(options);
      if (leftover === undefined) return assert.fail("the torn end is not named");
      assert.strictEqual(leftover.runId, runId);
      yield* FileLeftovers.remove(options, leftover);
      yield* FileLeftovers.remove(options, leftover);
      assert.deepStrictEqual(yield* found(options), []);
      assert.strictEqual(yield* journal.append(runId, at(3), [event(4)]), 4);
    }).pipe(Effect.scoped),
  );

  it.effect("of a run goes when the run is removed: its claims, its torn ends and its restores", () =>
    Effect.gen(function* () {
      const { disk, journal, options } = yield* inUse;
      yield* journal.claim(runId, 1, Events.ownerChanged(4));
      put(disk, `${folder}/events.jsonl.cut-1`, "torn");
      put(disk, `${folder}/events.jsonl.restore-0123456789abcdef`, "half a journal");
      yield* journal.remove(runId);
      assert.deepStrictEqual(yield* found(options), []);
      assert.deepStrictEqual(
        disk.files().filter((path) => path.includes(runId) && !path.includes("/blobs/")),
        [],
      );
    }).pipe(Effect.scoped),
  );
});
