import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import * as WorldInfo from "../../src/worldinfo/ActivatedWorldInfo.ts";

const entry = (uid: number | string, content: string, world = "Harbour"): WorldInfo.WorldInfoEntry => ({
  world,
  uid,
  displayName: `Entry ${uid}`,
  constant: false,
  position: "before",
  content,
});

const activated: WorldInfo.ActivatedWorldInfo = {
  timestampMs: 1_700_000_000_000,
  trigger: "normal",
  entries: [entry(3, "The harbour freezes in winter."), entry(7, "灯台は赤い。"), entry(3, "Another world.", "Isle")],
};

const codeOf = (result: Result.Result<unknown, { readonly code: string }>) =>
  Result.isFailure(result) ? result.failure.code : "none";

describe("the activated world info", () => {
  it("is decoded from JSON, and anything else is refused", () => {
    assert.deepStrictEqual(WorldInfo.decode(JSON.parse(JSON.stringify(activated))), Result.succeed(activated));
    for (const wrong of [null, {}, { ...activated, entries: [{ world: "x" }] }, { ...activated, timestampMs: "now" }])
      assert.strictEqual(codeOf(WorldInfo.decode(wrong)), "agent.invalid_worldinfo_activation_snapshot");
  });

  it("shows without arguments what there is, and not the text", () => {
    const read = Result.getOrThrow(WorldInfo.read(activated));
    assert.deepStrictEqual(
      { ...read, entries: read.entries.length },
      { mode: "index", timestampMs: 1_700_000_000_000, trigger: "normal", totalEntries: 3, entries: 3 },
    );
    assert.deepStrictEqual(read.entries[1], {
      ref: "worldinfo:Harbour#7",
      world: "Harbour",
      uid: 7,
      displayName: "Entry 7",
      constant: false,
      position: "before",
      chars: 6,
      words: 5,
    });
  });

  it("is read by ref, by place, whole or in part, in the order that is asked for", () => {
    const read = WorldInfo.read(activated, [
      { ref: "worldinfo:Isle#3" },
      { ref: "worldinfo:activated#1", startChar: 3, maxChars: 2 },
    ]);
    const { entries, mode } = Result.getOrThrow(read);
    assert.strictEqual(mode, "content");
    assert.deepStrictEqual(
      entries.map((part) => ("text" in part ? [part.ref, part.text, part.truncated] : [])),
      [
        ["worldinfo:Isle#3", "Another world.", false],
        ["worldinfo:Harbour#7", "赤い", true],
      ],
    );
  });

  it("names entries by their place where a world has a number twice", () => {
    const twice = { ...activated, entries: [entry(1, "a"), entry("1", "b")] };
    assert.deepStrictEqual(
      Result.getOrThrow(WorldInfo.read(twice)).entries.map(({ ref }) => ref),
      ["worldinfo:activated#0", "worldinfo:activated#1"],
    );
  });

  it("that a run has not is not there to be read", () => {
    assert.strictEqual(codeOf(WorldInfo.read(undefined)), "worldinfo.activation_unavailable");
    const none = Result.getOrThrow(WorldInfo.read({ ...activated, entries: [] }));
    assert.deepStrictEqual(none.entries, []);
  });

  it.each([
    ["worldinfo.entry_not_found", { ref: "worldinfo:Harbour#4" }],
    ["worldinfo.entry_not_found", { ref: "worldinfo:activated#3" }],
    ["worldinfo.entry_not_found", { ref: "" }],
    ["worldinfo.invalid_entry_range", { ref: "worldinfo:Harbour#7", startChar: 6 }],
    ["worldinfo.invalid_entry_range", { ref: "worldinfo:Harbour#7", maxChars: 8001 }],
    ["worldinfo.invalid_entry_range", { ref: "worldinfo:Harbour#7", maxChars: 0 }],
  ])("is refused with %s for %j", (code, range) => {
    assert.strictEqual(codeOf(WorldInfo.read(activated, [range])), code);
  });

  it("is read in bounds: twenty entries, 8000 characters each, 20000 together", () => {
    const many = { ...activated, entries: [0, 1, 2].map((uid) => entry(uid, "x".repeat(8001))) };
    const refs = [0, 1, 2].map((uid) => ({ ref: `worldinfo:Harbour#${uid}`, maxChars: 8000 }));
    assert.strictEqual(codeOf(WorldInfo.read(many, refs)), "worldinfo.read_too_large");
    assert.strictEqual(codeOf(WorldInfo.read(many, refs.slice(1))), "none");
    assert.strictEqual(codeOf(WorldInfo.read(many, [{ ref: "worldinfo:Harbour#0" }])), "worldinfo.read_too_large");
    assert.strictEqual(codeOf(WorldInfo.read(many, [])), "tool.invalid_arguments");
    const tooMany = Array.from({ length: 21 }, () => ({ ref: "worldinfo:Harbour#0", maxChars: 1 }));
    assert.strictEqual(codeOf(WorldInfo.read(many, tooMany)), "tool.invalid_arguments");
  });
});
