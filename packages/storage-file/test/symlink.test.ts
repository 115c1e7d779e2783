import type { MirroredRun } from "@cahier/ports/RunMirror";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as FileBlobStore from "@cahier/storage-file/FileBlobStore";
import * as FileDocumentStore from "@cahier/storage-file/FileDocumentStore";
import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import * as FileRunMirror from "@cahier/storage-file/FileRunMirror";
import * as NodeDisk from "@cahier/storage-file/NodeDisk";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as fs from "node:fs";
import * as nodePath from "node:path";
import * as Events from "./Events.ts";
import * as RealDirectory from "./RealDirectory.ts";

const { at, event, ownerChanged, record, runId, workspaceId } = Events;

const run: MirroredRun = { runId, workspaceId };

/** Puts a link where `path` was (or would be), to the same thing moved outside. */
const replaceByLink = (directory: string, outside: string, path: string): void => {
  const original = nodePath.join(directory, path);
  const moved = nodePath.join(outside, "moved");
  if (fs.existsSync(original)) fs.renameSync(original, moved);
  else fs.mkdirSync(moved);
  fs.mkdirSync(nodePath.dirname(original), { recursive: true });
  fs.symlinkSync(moved, original);
};

const expectSymlink = Effect.fnUntraced(function* (title: string, effect: Effect.Effect<unknown, unknown>) {
  const fault = yield* Effect.flip(effect);
  assert.instanceOf(fault, Unavailable, title);
  assert.strictEqual(fault instanceof Unavailable ? fault.kind : undefined, "symlink", title);
});

const contents = (directory: string): ReadonlyArray<string> =>
  fs.readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted();

describe("a symbolic link below the data folder", () => {
  it.effect("is refused wherever it stands on the way to a journal, and nothing behind it changes", () =>
    Effect.gen(function* () {
      const parts = Events.runFolder.split("/");
      const places = [
        ...parts.map((_, index) => parts.slice(0, index + 1).join("/")),
        `${Events.runFolder}/events.jsonl`,
      ];
      for (const place of places) {
        const directory = yield* RealDirectory.make;
        const outside = yield* RealDirectory.make;
        const before = yield* FileRunJournal.make({ directory });
        yield* before.create(record);
        yield* before.append(runId, at(0), [event(1)]);
        yield* before.release(runId);
        replaceByLink(directory, outside, place);
        const kept = contents(outside);
        for (const journal of [before, yield* FileRunJournal.make({ directory })]) {
          yield* expectSymlink(`append through ${place}`, journal.append(runId, at(1), [event(2)]));
          yield* expectSymlink(`read through ${place}`, journal.read(runId));
          yield* expectSymlink(`claim through ${place}`, journal.claim(runId, 1, ownerChanged(2)));
        }
        assert.deepStrictEqual(contents(outside), kept);
      }
    }).pipe(Effect.scoped),
  );

  it.effect("is refused on the way to the index of runs", () =>
    Effect.gen(function* () {
      const directory = yield* RealDirectory.make;
      const outside = yield* RealDirectory.make;
      replaceByLink(directory, outside, "agent-workspaces/index");
      const journal = yield* FileRunJournal.make({ directory });
      yield* expectSymlink("create", journal.create(record));
      yield* expectSymlink("list", journal.list());
      assert.deepStrictEqual(contents(outside), ["moved"]);
    }).pipe(Effect.scoped),
  );

  it.effect("is refused as a blob's scope and as a blob", () =>
    Effect.gen(function* () {
      const directory = yield* RealDirectory.make;
      const outside = yield* RealDirectory.make;
      const store = FileBlobStore.make({ directory });
      const sha256 = yield* store.put("run_1", Buffer.from("one"));
      const path = nodePath.join(directory, "agent-workspaces/blobs/run_1", sha256);
      fs.renameSync(path, nodePath.join(outside, "blob"));
      fs.symlinkSync(nodePath.join(outside, "blob"), path);
      yield* expectSymlink("get", store.get("run_1", sha256));
      assert.deepStrictEqual(yield* store.list("run_1"), []);
      replaceByLink(directory, outside, "agent-workspaces/blobs/run_2");
      yield* expectSymlink("put", store.put("run_2", Buffer.from("two")));
      yield* expectSymlink("removal", store.removeScope("run_2"));
      assert.deepStrictEqual(contents(outside), ["blob", "moved"]);
    }).pipe(Effect.scoped),
  );

  it.effect("is refused as a collection and as a document", () =>
    Effect.gen(function* () {
      const directory = yield* RealDirectory.make;
      const outside = yield* RealDirectory.make;
      const store = FileDocumentStore.make({ directory });
      yield* store.put("settings", "host", 0, 1);
      const path = nodePath.join(directory, "documents/settings/host.json");
      fs.renameSync(path, nodePath.join(outside, "document"));
      fs.symlinkSync(nodePath.join(outside, "document"), path);
      yield* expectSymlink("get", store.get("settings", "host"));
      yield* expectSymlink("put", store.put("settings", "host", 1, 2));
      replaceByLink(directory, outside, "documents/inbox/run_1");
      yield* expectSymlink("put in a collection", store.put("inbox/run_1", "request", 0, 1));
      assert.deepStrictEqual(contents(outside), ["document", "moved"]);
    }).pipe(Effect.scoped),
  );

  it.effect("is not replaced by a mirrored file that has its name, nor read", () =>
    Effect.gen(function* () {
      const directory = yield* RealDirectory.make;
      const outside = yield* RealDirectory.make;
      const mirror = FileRunMirror.make({ directory });
      yield* mirror.write(run, "output/main.md", Buffer.from("text"));
      const path = nodePath.join(directory, Events.runFolder, "output/link.md");
      fs.writeFileSync(nodePath.join(outside, "secret"), "secret");
      fs.symlinkSync(nodePath.join(outside, "secret"), path);
      yield* expectSymlink("write", mirror.write(run, "output/link.md", Buffer.from("x")));
      yield* expectSymlink("read", mirror.read(run, "output/link.md"));
      assert.deepStrictEqual(yield* mirror.list(run), ["output/main.md"]);
      assert.strictEqual(fs.readFileSync(nodePath.join(outside, "secret"), "utf8"), "secret");
    }).pipe(Effect.scoped),
  );

  it.effect("may be the data folder itself", () =>
    Effect.gen(function* () {
      const outside = yield* RealDirectory.make;
      const directory = nodePath.join(yield* RealDirectory.make, "link");
      fs.symlinkSync(outside, directory);
      const journal = yield* FileRunJournal.make({ directory });
      yield* journal.create(record);
      assert.strictEqual(yield* journal.append(runId, at(0), [event(1)]), 1);
    }).pipe(Effect.scoped),
  );
});

describe("the journal's names in a run's folder", () => {
  it.effect("are refused as mirrored paths, in any case, and so are names of files in the making", () =>
    Effect.gen(function* () {
      const mirror = FileRunMirror.make({ directory: yield* RealDirectory.make });
      for (const path of [
        "events.jsonl",
        "Events.JSONL",
        "events.jsonl.cut-1",
        "owners",
        "owners/2",
        "output/.cahier-0123456789abcdef.tmp",
      ]) {
        const fault = yield* Effect.flip(mirror.write(run, path, Buffer.from("x")));
        assert.deepInclude(fault, { _tag: "Unavailable", kind: "invalid" }, path);
      }
      yield* mirror.write(run, "output/events.jsonl", Buffer.from("deeper down it is a name like any other"));
      assert.deepStrictEqual(yield* mirror.list(run), ["output/events.jsonl"]);
    }).pipe(Effect.scoped),
  );
});

describe("the disk of this machine", () => {
  it.effect("tells where the last write of a descriptor ended, whoever wrote behind it", () =>
    Effect.gen(function* () {
      const path = nodePath.join(yield* RealDirectory.make, "file");
      fs.writeFileSync(path, "begin");
      const disk = NodeDisk.make();
      const [one, two] = [disk.open(path, "append"), disk.open(path, "append")];
      disk.write(one, Buffer.from("one"));
      disk.write(two, Buffer.from("t".repeat(100_000)));
      disk.write(one, Buffer.from("three"));
      disk.write(two, Buffer.from("four"));
      assert.deepStrictEqual([disk.endOfLastWrite(one), disk.endOfLastWrite(two)], [100_013, 100_017]);
      disk.close(one);
      disk.close(two);
    }).pipe(Effect.scoped),
  );
});
