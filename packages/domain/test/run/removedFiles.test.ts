import * as PathMap from "@cahier/domain/run/PathMap";
import { compareFiles } from "@cahier/domain/run/compareFiles";
import { persistentChanges } from "@cahier/domain/run/remembered";
import { staleFiles } from "@cahier/domain/run/staleFiles";
import { assert, describe, it } from "@effect/vitest";
import { CallId, CheckpointId, rootInvocation } from "../../src/identity/Identity.ts";
import * as Sha256 from "../../src/payload/Sha256.ts";
import * as Log from "../../src/run/Log.ts";
import { fold } from "../../src/run/evolve.ts";
import { empty, type FileState } from "../../src/run/RunState.ts";
import * as Journals from "./journals.ts";

const call = { round: 2, invocationId: rootInvocation, callId: CallId.make("shell") };
const hello = Sha256.ofText("Hello");

const upTo = (type: string) =>
  Journals.writingRun.slice(0, Journals.writingRun.findIndex((fact) => fact.type === type) + 1);

const read = upTo("workspace_file_read");

const removed = (path: string) => Journals.fact("workspace_file_removed", { ...call, path, sha256: hello });

const checkpoint = Journals.fact("checkpoint_created", {
  checkpointId: CheckpointId.make("cp_000001"),
  reason: "tool",
});

const readOf = (state: ReturnType<typeof fold>, path: string) => {
  const reads = state.invocations[rootInvocation]?.reads;
  return reads === undefined ? undefined : PathMap.get(reads, path);
};

describe("a removed file", () => {
  it("is gone from there on, is in what was before it, and nothing of it is known any more", () => {
    const before = fold(empty, Journals.events([...read, checkpoint]));
    const after = fold(empty, Journals.events([...read, checkpoint, removed("output/main.md")]));
    assert.isDefined(readOf(before, "output/main.md"));
    assert.isUndefined(readOf(after, "output/main.md"));
    assert.isUndefined(PathMap.get(after.files, "output/main.md"));
    const named = Log.toArray(after.checkpoints)[0]?.files ?? PathMap.empty;
    assert.isDefined(PathMap.get(named, "output/main.md"));
    assert.deepStrictEqual(
      compareFiles(named, after.files).map(({ path, status }) => [path, status]),
      [["output/main.md", "deleted"]],
    );
  });

  it("comes back with the checkpoint that has it", () => {
    const back = Journals.fact("run_rolled_back", {
      scope: "workspace",
      checkpointId: CheckpointId.make("cp_000001"),
      seq: read.length + 1,
      changes: [{ path: "output/main.md", status: "added" }],
    });
    const state = fold(empty, Journals.events([...read, checkpoint, removed("output/main.md"), back]));
    assert.strictEqual(PathMap.get(state.files, "output/main.md")?.sha256, hello);
  });

  it("that there is not changes nothing", () => {
    const before = fold(empty, Journals.events(read));
    const after = fold(before, Journals.events([removed("output/none.md")], before.seq + 1));
    assert.strictEqual(after.files, before.files);
    assert.strictEqual(after.invocations[rootInvocation]?.reads, before.invocations[rootInvocation]?.reads);
  });

  it("that is remembered is published as deleted", () => {
    const projected = Journals.fact("persistent_file_projected", {
      stateId: "run_0",
      path: "persist/names.md",
      chars: 5,
      words: 1,
      content: Journals.payload("persist/names.md", "Hello"),
    });
    const state = fold(empty, Journals.events([...read, projected, removed("persist/names.md")]));
    assert.deepStrictEqual(persistentChanges(state), [{ path: "persist/names.md", kind: "deleted" }]);
  });
});

describe("a file that a call wrote unseen", () => {
  const written = (more: object) =>
    Journals.fact("workspace_file_written", {
      ...call,
      path: "output/main.md",
      mode: "replace",
      chars: 0,
      words: 0,
      bytes: 2,
      sha256: Sha256.ofBytes(new Uint8Array([0xff, 0xfe])),
      content: Journals.payload("output/main.md", "//4="),
      unseen: true,
      ...more,
    });

  it("must be read before it is replaced", () => {
    const state = fold(empty, Journals.events([...read, written({})]));
    assert.isUndefined(readOf(state, "output/main.md"));
  });

  it("may hold no text, until text is written over it", () => {
    const binary = [...read, written({ encoding: "base64" })];
    assert.strictEqual(PathMap.get(fold(empty, Journals.events(binary)).files, "output/main.md")?.encoding, "base64");
    const text = fold(empty, Journals.events([...binary, written({})]));
    assert.notProperty(PathMap.get(text.files, "output/main.md"), "encoding");
  });
});

describe("what a call changes", () => {
  const file = (path: string): FileState => ({
    path,
    sha256: hello,
    bytes: 5,
    chars: 5,
    words: 1,
    base: null,
    deltas: Log.empty(),
    writtenBySeq: 1,
  });
  const files = PathMap.of({ "output/a.md": file("output/a.md"), "output/b/c.md": file("output/b/c.md") });
  const other = Sha256.ofText("Other");

  it.each([
    ["fits while everything is as it was seen", { "output/a.md": hello, "output/new.md": null }, ["output/new.md"], []],
    ["does not fit where a file has another content", { "output/a.md": other }, ["output/a.md"], ["output/a.md"]],
    ["does not fit where a file is gone", { "output/gone.md": hello }, [], ["output/gone.md"]],
    ["does not fit where a file has come", { "output/a.md": null }, ["output/a.md"], ["output/a.md"]],
    ["does not fit below a file", { "output/a.md/d.md": null }, ["output/a.md/d.md"], ["output/a.md"]],
    ["does not fit in the place of a folder", { "output/b": null }, ["output/b"], ["output/b/c.md"]],
    [
      "fits where it took the file away that stood above",
      { "output/a.md": hello, "output/a.md/d.md": null },
      ["output/a.md/d.md"],
      [],
    ],
    ["fits where it took everything out of the folder", { "output/b/c.md": hello, "output/b": null }, ["output/b"], []],
  ] as const)("%s", (_title, seen, written, stale) => {
    const given = Object.entries(seen).map(([path, sha256]) => ({ path, sha256 }));
    assert.deepStrictEqual(staleFiles(files, given, written), stale);
  });
});
