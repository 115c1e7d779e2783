import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as Sha256 from "../src/payload/Sha256.ts";
import * as ReadState from "../src/workspace/ReadState.ts";

const version = (text: string): ReadState.FileVersion => ({ sha256: Sha256.ofText(text), chars: text.length });

const codeOf = (result: Result.Result<void, { readonly code: string }>): string =>
  Result.isFailure(result) ? result.failure.code : "admitted";

const old = version("x".repeat(100));
const next = version("y".repeat(40));

const position = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }));
const range: Arbitrary.Arbitrary<ReadState.CharRange> = Arbitrary.map(
  Arbitrary.all([Arbitrary.schema(position), Arbitrary.schema(position)]),
  ([left, right]) => [Math.min(left, right), Math.max(left, right)] as const,
);
const ranges = Arbitrary.array(range, { maxLength: 8 });

const readAll = (
  reads: ReadonlyArray<ReadState.CharRange>,
  state?: ReadState.ReadState,
): ReadState.ReadState | undefined =>
  reads.reduce<ReadState.ReadState | undefined>((known, read) => ReadState.recordRead(known, old, read), state);

/** The characters that a state knows, one by one: what the ranges stand for. */
const known = (state: ReadState.ReadState | undefined): ReadonlyArray<number> =>
  Array.from({ length: 200 }, (_, index) => index).filter(
    (index) => state?.seen.some(([from, to]) => from <= index && index < to) ?? false,
  );

describe("read-state", () => {
  it("one read of the whole file, or several that cover it, is a complete read", () => {
    assert.isTrue(ReadState.isComplete(ReadState.recordRead(undefined, old, [0, 100])));
    const parts = readAll([
      [60, 100],
      [0, 30],
    ]);
    assert.isDefined(parts);
    assert.isFalse(ReadState.isComplete(parts));
    assert.deepStrictEqual(ReadState.unseen(parts), [[30, 60]]);
    assert.isTrue(ReadState.isComplete(ReadState.recordRead(parts, old, [20, 61])));
  });

  it("reading an empty file is a complete read", () => {
    const state = ReadState.recordRead(undefined, version(""), [0, 0]);
    assert.isTrue(ReadState.isComplete(state));
    assert.strictEqual(codeOf(ReadState.admitPatch(state, version(""), "a")), "admitted");
  });

  it("reading another version forgets what was known of the earlier one", () => {
    const state = ReadState.recordRead(ReadState.afterWrite(old), next, [0, 10]);
    assert.deepStrictEqual(state, { ...next, seen: [[0, 10]] });
  });

  it.prop("the order of partial reads does not matter", [ranges], ([reads]) => {
    const forward = readAll(reads);
    assert.deepStrictEqual(readAll(reads.toReversed()), forward);
    assert.deepStrictEqual(readAll(reads.toSorted((left, right) => left[0] - right[0])), forward);
    assert.deepStrictEqual(readAll(reads, forward), forward);
  });

  it.prop("a state knows exactly what was read, in its one form", [ranges], ([reads]) => {
    const state = readAll(reads);
    const expected = Array.from({ length: 200 }, (_, index) => index).filter((index) =>
      reads.some(([from, to]) => from <= index && index < to),
    );
    assert.deepStrictEqual(known(state), expected);
    if (state === undefined) return;
    assert.isTrue(Schema.is(ReadState.ReadState)(state));
    const flat = state.seen.flat();
    assert.isTrue(flat.every((value, index) => index === 0 || value > (flat[index - 1] ?? 0)));
    assert.strictEqual(ReadState.isComplete(state), expected.length === 100);
    const unseen = ReadState.unseen(state).flatMap(([from, to]) =>
      Array.from({ length: to - from }, (_, i) => from + i),
    );
    assert.deepStrictEqual(
      [...unseen, ...expected].toSorted((left, right) => left - right),
      Array.from({ length: 100 }, (_, i) => i),
    );
  });

  it.prop("reading more never locks what was unlocked", [ranges, range], ([reads, more]) => {
    const before = readAll(reads);
    const after = ReadState.recordRead(before, old, more);
    assert.isTrue(known(before).every((index) => known(after).includes(index)));
    if (codeOf(ReadState.admitPatch(before, old, "a")) === "admitted") {
      assert.strictEqual(codeOf(ReadState.admitPatch(after, old, "a")), "admitted");
    }
    if (codeOf(ReadState.admitReplace(before, old, "a")) === "admitted") {
      assert.strictEqual(codeOf(ReadState.admitReplace(after, old, "a")), "admitted");
    }
  });

  it("a missing file may be written without a read", () => {
    assert.strictEqual(codeOf(ReadState.admitReplace(undefined, undefined, "a")), "admitted");
    assert.strictEqual(codeOf(ReadState.admitReplace(ReadState.afterWrite(old), undefined, "a")), "admitted");
  });

  it("an existing file is replaced only after some read of its current version", () => {
    assert.strictEqual(codeOf(ReadState.admitReplace(undefined, old, "a")), "workspace.write_requires_read");
    const partial = ReadState.recordRead(undefined, old, [0, 1]);
    assert.strictEqual(codeOf(ReadState.admitReplace(partial, old, "a")), "admitted");
    assert.strictEqual(codeOf(ReadState.admitReplace(partial, next, "a")), "workspace.write_stale_file");
  });

  it("an existing file is patched only after a complete read of its current version", () => {
    assert.strictEqual(codeOf(ReadState.admitPatch(undefined, old, "a")), "workspace.patch_requires_read");
    const partial = ReadState.recordRead(undefined, old, [0, 99]);
    const refused = ReadState.admitPatch(partial, old, "output/a.md");
    assert.strictEqual(codeOf(refused), "workspace.patch_requires_full_read");
    assert.include(Result.isFailure(refused) ? refused.failure.message : "", "start_char 99, 1 characters");
    assert.strictEqual(codeOf(ReadState.admitPatch(partial, next, "a")), "workspace.patch_stale_file");
    assert.strictEqual(
      codeOf(ReadState.admitPatch(ReadState.recordRead(partial, old, [99, 100]), old, "a")),
      "admitted",
    );
  });

  it("what the invocation wrote or patched it knows", () => {
    assert.strictEqual(codeOf(ReadState.admitPatch(ReadState.afterWrite(next), next, "a")), "admitted");
    assert.strictEqual(codeOf(ReadState.admitReplace(ReadState.afterPatch(next), next, "a")), "admitted");
    assert.strictEqual(
      codeOf(ReadState.admitPatch(ReadState.afterWrite(next), old, "a")),
      "workspace.patch_stale_file",
    );
  });

  it("an append is admitted whatever is known", () => {
    assert.strictEqual(codeOf(ReadState.admitAppend()), "admitted");
  });

  it("a file that an append made is known", () => {
    const state = ReadState.afterAppend(undefined, undefined, next);
    assert.strictEqual(codeOf(ReadState.admitPatch(state, next, "a")), "admitted");
  });

  it("an append to an unread file unlocks nothing", () => {
    const after = version("x".repeat(120));
    const state = ReadState.afterAppend(undefined, old, after);
    assert.strictEqual(codeOf(ReadState.admitReplace(state, after, "a")), "workspace.write_requires_read");
    assert.strictEqual(codeOf(ReadState.admitPatch(state, after, "a")), "workspace.patch_requires_read");
  });

  it("an append to a file that another changed leaves the knowledge stale", () => {
    const after = version("x".repeat(120));
    const state = ReadState.afterAppend(ReadState.afterWrite(next), old, after);
    assert.strictEqual(codeOf(ReadState.admitReplace(state, after, "a")), "workspace.write_stale_file");
    assert.strictEqual(codeOf(ReadState.admitPatch(state, after, "a")), "workspace.patch_stale_file");
  });

  it.prop("an append adds exactly the appended text to what is known", [ranges], ([reads]) => {
    const before = readAll(reads);
    const after = version("x".repeat(120));
    const state = ReadState.afterAppend(before, old, after);
    if (before === undefined) {
      assert.isUndefined(state);
      return;
    }
    const appended = Array.from({ length: 20 }, (_, index) => 100 + index);
    assert.deepStrictEqual(known(state), [...known(before), ...appended]);
    assert.strictEqual(state !== undefined && ReadState.isComplete(state), ReadState.isComplete(before));
  });

  it("a state survives JSON", () => {
    const state = readAll([
      [3, 9],
      [20, 100],
    ]);
    assert.deepStrictEqual(Schema.decodeUnknownSync(ReadState.ReadState)(JSON.parse(JSON.stringify(state))), state);
  });
});
