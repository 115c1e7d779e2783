import { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import { RunMirror } from "@cahier/ports/RunMirror";
import * as FileDocumentStore from "@cahier/storage-file/FileDocumentStore";
import * as FileStorage from "@cahier/storage-file/FileStorage";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import * as fs from "node:fs";
import * as nodePath from "node:path";
import * as Events from "./Events.ts";
import * as RealDirectory from "./RealDirectory.ts";

const { at, event, ownerChanged, record, runFolder, runId, workspaceId } = Events;

const files = (directory: string): ReadonlyArray<string> =>
  fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => nodePath.relative(directory, nodePath.join(entry.parentPath, entry.name)))
    .toSorted();

describe("a data folder", () => {
  it.effect("has each thing where a person looks for it, and no file in the making left over", () =>
    Effect.gen(function* () {
      const directory = nodePath.join(yield* RealDirectory.make, "not", "there", "yet");
      const program = Effect.gen(function* () {
        const journal = yield* RunJournal;
        yield* journal.create(record);
        yield* journal.append(runId, at(0), [event(1)]);
        yield* journal.claim(runId, 1, ownerChanged(2));
        yield* (yield* RunMirror).write({ runId, workspaceId }, "output/main.md", Buffer.from("Once"));
        const documents = yield* DocumentStore;
        yield* documents.put("settings", "host", 0, { a: 1 });
        yield* documents.put("settings", "host", 1, { a: 2 });
        yield* documents.put(`inbox/${runId}`, "cancel", 0, null);
        return yield* (yield* BlobStore).put(runId, Buffer.from("bulk"));
      });
      const sha256 = yield* Effect.provide(program, FileStorage.layer({ directory }));
      assert.deepStrictEqual(
        files(directory).filter((path) => !path.includes("/.revisions/")),
        [
          `agent-workspaces/blobs/${runId}/${sha256}`,
          `${runFolder}/events.jsonl`,
          `${runFolder}/output/main.md`,
          `${runFolder}/owners/1`,
          `${runFolder}/owners/2`,
          `agent-workspaces/index/runs/${runId}.json`,
          `documents/inbox/${runId}/cancel.json`,
          "documents/settings/host.json",
        ],
      );
      const document: unknown = JSON.parse(
        fs.readFileSync(nodePath.join(directory, "documents/settings/host.json"), "utf8"),
      );
      assert.deepInclude(document, { revision: 2, value: { a: 2 } });
    }).pipe(Effect.scoped),
  );

  it.effect("takes a document that a person wrote by hand", () =>
    Effect.gen(function* () {
      const directory = yield* RealDirectory.make;
      fs.mkdirSync(nodePath.join(directory, "documents/settings"), { recursive: true });
      fs.writeFileSync(nodePath.join(directory, "documents/settings/host.json"), '{ "revision": 7, "value": true }');
      const program = Effect.gen(function* () {
        const documents = yield* DocumentStore;
        assert.strictEqual((yield* documents.get("settings", "host")).revision, 7);
        return yield* documents.put("settings", "host", 7, false);
      });
      assert.strictEqual(yield* Effect.provide(program, FileStorage.layer({ directory })), 8);
    }).pipe(Effect.scoped),
  );

  it.effect(
    "keeps the readable tree of a run whose journal is removed, and the journal of one whose tree is cleared",
    () =>
      Effect.gen(function* () {
        const directory = yield* RealDirectory.make;
        const program = Effect.gen(function* () {
          const [journal, mirror] = [yield* RunJournal, yield* RunMirror];
          const run = { runId, workspaceId };
          yield* journal.create(record);
          yield* mirror.write(run, "output/main.md", Buffer.from("Once"));
          yield* mirror.clear(run);
          assert.strictEqual(yield* journal.append(runId, at(0), [event(1)]), 1);
          yield* mirror.write(run, "output/main.md", Buffer.from("Once"));
          yield* journal.remove(runId);
          assert.deepStrictEqual(yield* mirror.list(run), ["output/main.md"]);
        });
        yield* Effect.provide(program, FileStorage.layer({ directory }));
        assert.deepStrictEqual(files(directory), [`${runFolder}/output/main.md`]);
      }).pipe(Effect.scoped),
  );

  it.live("loses the folder of a nested collection with its last document, also while others put into it", () =>
    Effect.gen(function* () {
      const directory = yield* RealDirectory.make;
      const [one, other] = [FileDocumentStore.make({ directory }), FileDocumentStore.make({ directory })];
      const folder = nodePath.join(directory, "documents/inbox/run_1");
      for (const revision of [0, 1]) yield* one.put("inbox/run_1", "request", revision, "text");
      yield* one.put("inbox/run_1", "other", 0, "text");
      yield* one.remove("inbox/run_1", "request");
      assert.isTrue(fs.existsSync(folder));
      yield* one.remove("inbox/run_1", "other");
      assert.isFalse(fs.existsSync(folder));
      for (let round = 0; round < 30; round += 1) {
        const puts = yield* Effect.all(
          [
            one.put("inbox/run_1", `a${round}`, 0, round),
            other.put("inbox/run_1", `b${round}`, 0, round),
            Effect.andThen(one.put("inbox/run_1", "c", 0, round), one.remove("inbox/run_1", "c")),
          ],
          { concurrency: "unbounded" },
        );
        assert.deepStrictEqual(puts.slice(0, 2), [1, 1]);
        for (const id of [`a${round}`, `b${round}`]) yield* other.remove("inbox/run_1", id);
      }
      assert.deepStrictEqual(yield* one.collections, []);
    }).pipe(Effect.scoped),
  );

  it.live("keeps the names of old revisions only for a while", () =>
    Effect.gen(function* () {
      const directory = yield* RealDirectory.make;
      const revisions = nodePath.join(directory, "documents/settings/.revisions");
      const program = Effect.gen(function* () {
        const documents = yield* DocumentStore;
        for (let revision = 0; revision < 31; revision += 1)
          yield* documents.put("settings", "host", revision, revision);
        assert.strictEqual(fs.readdirSync(revisions).length, 30);
        const longAgo = new Date(Date.now() - 3_600_000);
        for (const name of fs.readdirSync(revisions)) fs.utimesSync(nodePath.join(revisions, name), longAgo, longAgo);
        yield* documents.put("settings", "host", 31, 31);
        assert.strictEqual(fs.readdirSync(revisions).length, 1);
        assert.strictEqual((yield* documents.get("settings", "host")).revision, 32);
      });
      yield* Effect.provide(program, FileStorage.layer({ directory }));
    }).pipe(Effect.scoped),
  );

  it.effect("can be followed by many at once, and closes what it opened", () =>
    Effect.gen(function* () {
      const directory = yield* RealDirectory.make;
      const program = Effect.gen(function* () {
        const journal = yield* RunJournal;
        yield* journal.create(record);
        yield* journal.append(runId, at(0), [event(1)]);
        const followers = Array.from({ length: 20 }, () =>
          journal.tail(runId, 0).pipe(Stream.take(2), Stream.runCollect),
        );
        const appended = Effect.andThen(Effect.yieldNow, journal.append(runId, at(1), [event(2)]));
        const [seen] = yield* Effect.all([Effect.all(followers, { concurrency: "unbounded" }), appended], {
          concurrency: "unbounded",
        });
        assert.deepStrictEqual(
          seen.map((events) => events.length),
          followers.map(() => 2),
        );
      });
      const before = openDescriptors(directory);
      yield* Effect.provide(program, FileStorage.layer({ directory }));
      assert.deepStrictEqual([before, openDescriptors(directory)], [0, 0]);
    }).pipe(Effect.scoped),
  );
});

/** How many descriptors of this process lead below a directory, where the system tells. */
const openDescriptors = (directory: string): number => {
  if (!fs.existsSync("/proc/self/fd")) return 0;
  return fs.readdirSync("/proc/self/fd").filter((name) => linkTarget(`/proc/self/fd/${name}`).startsWith(directory))
    .length;
};

const linkTarget = (path: string): string => {
  try {
    return fs.readlinkSync(path);
  } catch {
    return "";
  }
};
