/**
 * Files that are not what they should be, and folders that go away: what each operation says, and that nothing is lost.
 */
import { RunId } from "@cahier/domain/identity/Identity";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as FileBlobStore from "@cahier/storage-file/FileBlobStore";
import * as FileDocumentStore from "@cahier/storage-file/FileDocumentStore";
import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import * as JournalLine from "@cahier/storage-file/JournalLine";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import * as fs from "node:fs";
import * as nodePath from "node:path";
import * as Events from "./Events.ts";
import * as RealDirectory from "./RealDirectory.ts";

const { at, event, events, record, runId } = Events;

/** A data folder with a run of three appends of one event each. */
const prepared = Effect.gen(function* () {
  const directory = nodePath.join(yield* RealDirectory.make, "data");
  const journal = yield* FileRunJournal.make({ directory });
  yield* journal.create(record);
  for (const n of [1, 2, 3]) yield* journal.append(runId, at(n - 1), [event(n)]);
  const file = nodePath.join(directory, Events.runFolder, "events.jsonl");
  return { directory, file, journal, open: FileRunJournal.make({ directory }) };
});

const unavailable = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
  const fault = yield* Effect.flip(effect);
  return fault instanceof Unavailable ? fault : assert.fail(`expected Unavailable, got ${String(fault)}`);
});

/** Changes the n-th line of a journal (from 1). */
const changeLine = (file: string, n: number, change: (line: string) => string): void => {
  const lines = fs.readFileSync(file, "utf8").split("\n");
  fs.writeFileSync(file, lines.map((line, index) => (index === n - 1 ? change(line) : line)).join("\n"));
};

describe("a journal", () => {
  it.live("with a line of another run is damaged from there on, takes no append and no claim, and stays as it is", () =>
    Effect.gen(function* () {
      const { file, open } = yield* prepared;
      const other = JournalLine.encode(RunId.make("run_other"), event(2), { seq: 2, epoch: 1, index: 0, size: 1 });
      changeLine(file, 2, () => other.trimEnd());
      const bytes = fs.readFileSync(file);
      const journal = yield* open;
      const page = yield* journal.read(runId);
      assert.deepStrictEqual([page.lastSeq, page.damage?.seq, page.damage?.line], [1, 2, 2]);
      assert.include(page.damage?.detail ?? "", "belongs to another run");
      assert.strictEqual(page.damage?.path, file);
      assert.strictEqual((yield* Effect.flip(journal.append(runId, at(1), [event(4)])))._tag, "Corrupt");
      assert.strictEqual((yield* Effect.flip(journal.claim(runId, 1, Events.ownerChanged(4))))._tag, "Corrupt");
      assert.deepStrictEqual(fs.readFileSync(file), bytes);
    }).pipe(Effect.scoped),
  );

  it.live("that is damaged in its middle is whole again when its bytes are", () =>
    Effect.gen(function* () {
      const { file, open } = yield* prepared;
      const whole = fs.readFileSync(file);
      changeLine(file, 2, (line) => line.replace("info", "warn"));
      const journal = yield* open;
      assert.strictEqual((yield* journal.read(runId)).damage?.line, 2);
      const tailed = yield* Effect.flip(Stream.runDrain(journal.tail(runId, 0)));
      assert.strictEqual(tailed._tag, "Corrupt");
      fs.writeFileSync(file, whole);
      assert.deepInclude(yield* journal.read(runId), { lastSeq: 3, droppedTail: 0 });
      assert.strictEqual(yield* journal.append(runId, at(3), [event(4)]), 4);
    }).pipe(Effect.scoped),
  );

  it.live("of a release to come is left alone, and says which release to use", () =>
    Effect.gen(function* () {
      const { directory, open } = yield* prepared;
      const path = nodePath.join(directory, "agent-workspaces/index/runs", `${runId}.json`);
      fs.writeFileSync(path, JSON.stringify({ ...record, form: 2 }));
      const journal = yield* open;
      for (const operation of [
        journal.read(runId),
        journal.append(runId, at(3), [event(4)]),
        journal.claim(runId, 1, Events.ownerChanged(4)),
        journal.remove(runId),
      ]) {
        assert.include((yield* unavailable<unknown, unknown>(operation)).detail, "use the release that wrote them");
      }
      assert.deepStrictEqual(yield* journal.list(), []);
      assert.strictEqual((yield* Effect.flip(journal.create(record)))._tag, "AlreadyExists");
      fs.writeFileSync(path, JSON.stringify(record));
      assert.strictEqual((yield* journal.read(runId)).lastSeq, 3);
    }).pipe(Effect.scoped),
  );

  it.live("whose record is damaged is not listed, and says so when it is asked for", () =>
    Effect.gen(function* () {
      const { directory, open } = yield* prepared;
      const path = nodePath.join(directory, "agent-workspaces/index/runs", `${runId}.json`);
      fs.writeFileSync(path, "{");
      const journal = yield* open;
      assert.include((yield* unavailable(journal.read(runId))).detail, "is damaged");
      assert.deepStrictEqual(yield* journal.list(), []);
    }).pipe(Effect.scoped),
  );
});

describe("a data folder that goes away while runs are carried on", () => {
  it.live("takes nothing that would be lost with it, and all goes on when it is back", () =>
    Effect.gen(function* () {
      const { directory, journal } = yield* prepared;
      const blobs = FileBlobStore.make({ directory });
      const sha256 = yield* blobs.put(runId, Buffer.from("bytes"));
      fs.renameSync(directory, `${directory}-aside`);
      const appended = yield* journal.append(runId, at(3), [event(4)]);
      assert.strictEqual(appended, 4, "an open journal is written to wherever its file is by then");
      const faults = [
        yield* Effect.flip(journal.claim(runId, 1, Events.ownerChanged(4))),
        yield* Effect.flip(journal.read(runId)),
        yield* Effect.flip(Stream.runDrain(journal.tail(runId, 3))),
        yield* Effect.flip(blobs.get(runId, sha256)),
      ];
      assert.deepStrictEqual(
        faults.map((fault) => fault._tag),
        ["NotFound", "NotFound", "NotFound", "NotFound"],
      );
      assert.isFalse(fs.existsSync(directory), "nothing of it was made anew");
      fs.renameSync(`${directory}-aside`, directory);
      assert.strictEqual((yield* journal.read(runId)).lastSeq, 4);
      assert.strictEqual(yield* journal.append(runId, at(4), events(5, 6)), 6);
      assert.strictEqual((yield* blobs.get(runId, sha256)).length, 5);
    }).pipe(Effect.scoped),
  );

  it.live("and is removed takes no append", () =>
    Effect.gen(function* () {
      const { directory, file, journal } = yield* prepared;
      fs.rmSync(file);
      assert.strictEqual((yield* Effect.flip(journal.append(runId, at(3), [event(4)])))._tag, "NotFound");
      fs.rmSync(directory, { recursive: true });
      assert.strictEqual((yield* Effect.flip(journal.append(runId, at(3), [event(4)])))._tag, "NotFound");
    }).pipe(Effect.scoped),
  );
});

describe("a blob", () => {
  it.live("with other bytes is corrupt and one that is gone is not found; both are whole when they are put again", () =>
    Effect.gen(function* () {
      const { directory } = yield* prepared;
      const blobs = FileBlobStore.make({ directory });
      const bytes = Buffer.from("a text");
      const sha256 = yield* blobs.put(runId, bytes);
      const path = nodePath.join(directory, "agent-workspaces/blobs", runId, sha256);
      fs.writeFileSync(path, "another");
      const corrupt = yield* Effect.flip(blobs.get(runId, sha256));
      assert.deepInclude(corrupt, { _tag: "Corrupt", path });
      fs.rmSync(path);
      assert.strictEqual((yield* Effect.flip(blobs.get(runId, sha256)))._tag, "NotFound");
      yield* blobs.put(runId, bytes);
      assert.strictEqual(Sha256.ofBytes(yield* blobs.get(runId, sha256)), sha256);
    }).pipe(Effect.scoped),
  );
});

describe("a file in the place of a data folder", () => {
  it.live("takes nothing and says so", () =>
    Effect.gen(function* () {
      const directory = nodePath.join(yield* RealDirectory.make, "data");
      fs.writeFileSync(directory, "a note");
      const journal = yield* FileRunJournal.make({ directory });
      const faults = yield* Effect.all([
        unavailable(journal.create(record)),
        unavailable(FileBlobStore.make({ directory }).put(runId, new Uint8Array(1))),
        unavailable(FileDocumentStore.make({ directory }).put("settings", "host", 0, {})),
      ]);
      assert.deepStrictEqual(
        faults.map((fault) => fault.kind),
        ["invalid", "invalid", "invalid"],
      );
      assert.strictEqual(fs.readFileSync(directory, "utf8"), "a note");
    }).pipe(Effect.scoped),
  );
});
