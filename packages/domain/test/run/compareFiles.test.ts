import * as PathMap from "@cahier/domain/run/PathMap";
import { compareFiles } from "@cahier/domain/run/compareFiles";
import type { FileState } from "@cahier/domain/run/RunState";
import * as Log from "@cahier/domain/run/Log";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import { assert, describe, it } from "@effect/vitest";

const file = (path: string, text: string, writtenBySeq = 1): FileState => ({
  path,
  sha256: Sha256.ofText(text),
  bytes: text.length,
  chars: text.length,
  words: 1,
  base: null,
  deltas: Log.empty(),
  writtenBySeq,
});

const files = (...given: ReadonlyArray<FileState>) =>
  PathMap.of(Object.fromEntries(given.map((one) => [one.path, one])));

describe("comparing the files of two states", () => {
  it("tells added, modified and deleted ones in the order of their paths, and leaves out the others", () => {
    const before = files(file("output/b.md", "b"), file("output/same.md", "s"), file("output/a.md", "a"));
    const after = files(file("plan/new.md", "n"), file("output/same.md", "s", 9), file("output/b.md", "B"));
    const statuses = (one: typeof before, other: typeof before) =>
      compareFiles(one, other).map(({ path, status, before: was, after: is }) => [path, status, was?.path, is?.path]);
    assert.deepStrictEqual(statuses(before, after), [
      ["output/a.md", "deleted", "output/a.md", undefined],
      ["output/b.md", "modified", "output/b.md", "output/b.md"],
      ["plan/new.md", "added", undefined, "plan/new.md"],
    ]);
    assert.deepStrictEqual(
      statuses(after, before).map(([path, status]) => [path, status]),
      [
        ["output/a.md", "added"],
        ["output/b.md", "modified"],
        ["plan/new.md", "deleted"],
      ],
    );
  });

  it("finds nothing between a state and itself", () => {
    const present = files(file("output/a.md", "a"));
    assert.isEmpty(compareFiles(present, present));
    assert.isEmpty(compareFiles(present, { ...present }));
    assert.isEmpty(compareFiles(PathMap.empty, PathMap.of({})));
  });
});
