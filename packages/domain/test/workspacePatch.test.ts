import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as TextPatch from "../src/workspace/TextPatch.ts";

const patch = (content: string, oldString: string, newString: string, replaceAll = false) =>
  TextPatch.apply(content, { oldString, newString, replaceAll });

const refusalOf = (result: Result.Result<unknown, TextPatch.PatchRefusal>): TextPatch.PatchRefusal => {
  assert.isTrue(Result.isFailure(result));
  return Result.isFailure(result) ? result.failure : { code: "workspace.patch_no_change", message: "" };
};

const few = Arbitrary.schema(Schema.Literals(["a", "b", "aa", "\n", "é", "字", "😀", "\u0000", "\r\n", "e\u0301"]));
const text = (maxLength: number, minLength = 0) =>
  Arbitrary.map(Arbitrary.array(few, { minLength, maxLength }), (parts) => parts.join(""));

const bytes = (value: string) => [...new TextEncoder().encode(value)];

describe("text patch", () => {
  it("the one occurrence is replaced and recorded by its byte offset", () => {
    const { content, edits } = Result.getOrThrow(patch("字 one two", "one", "1"));
    assert.strictEqual(content, "字 1 two");
    assert.deepStrictEqual(edits, { old: "one", new: "1", at: [4] });
  });

  it("replace_all replaces from the left without overlap", () => {
    const { content, edits } = Result.getOrThrow(patch("aaaaa", "aa", "b", true));
    assert.strictEqual(content, "bba");
    assert.deepStrictEqual(edits.at, [0, 2]);
  });

  it("replacement patterns of other languages mean nothing", () => {
    assert.strictEqual(Result.getOrThrow(patch("x.y", ".", "$&$1$$")).content, "x$&$1$$y");
  });

  it("text may be replaced by nothing, and a whole file by other text", () => {
    assert.strictEqual(Result.getOrThrow(patch("one two", " two", "")).content, "one");
    assert.strictEqual(Result.getOrThrow(patch("one", "one", "")).content, "");
  });

  it("an empty old string is refused", () => {
    assert.strictEqual(refusalOf(patch("a", "", "b")).code, "workspace.patch_empty_old_string");
  });

  it("a patch that changes nothing is refused, even where the text does not occur", () => {
    assert.strictEqual(refusalOf(patch("a", "b", "b")).code, "workspace.patch_no_change");
  });

  it("text that does not occur is refused with the likeliest reason", () => {
    const plain = refusalOf(patch("one\ntwo\n", "three", "3"));
    assert.strictEqual(plain.code, "workspace.patch_old_string_not_found");
    assert.include(plain.message, "copy the text exactly");
    assert.include(refusalOf(patch("one\r\ntwo\r\n", "one\ntwo", "3")).message, "CRLF");
    assert.include(refusalOf(patch("one\n  two\nfour", "  two\nthree", "3")).message, "line 2");
  });

  it("half of a character is never found", () => {
    assert.strictEqual(refusalOf(patch("😀", "\ud83d", "x")).code, "workspace.patch_old_string_not_found");
    assert.isTrue(Result.getOrThrow(patch("a", "a", "\ud83d")).content.isWellFormed());
  });

  it("text that occurs more than once is refused with its count and lines", () => {
    const refusal = refusalOf(patch("the cat\nthe dog\n\nthe end", "the", "a"));
    assert.strictEqual(refusal.code, "workspace.patch_old_string_not_unique");
    assert.include(refusal.message, "3 times (lines 1, 2, 4)");
    assert.include(refusal.message, "replace_all");
    assert.include(refusalOf(patch("aaa", "aa", "b")).message, "2 times (line 1)");
    const many = refusalOf(patch("x\n".repeat(5000), "x", "y")).message;
    assert.include(many, "more than 1000 times");
    assert.isBelow(many.length, 300);
  });

  it.prop(
    "undo of the recorded edits gives the original, redo the new text",
    [text(40), text(3, 1), text(3), Schema.Boolean],
    ([content, oldString, newString, replaceAll]) => {
      const patched = patch(content, oldString, newString, replaceAll);
      if (Result.isFailure(patched)) return;
      const { content: after, edits } = patched.success;
      assert.isTrue(Schema.is(TextPatch.TextEdits)(edits));
      assert.deepStrictEqual(TextPatch.undo(after, edits), Result.succeed(content));
      assert.deepStrictEqual(TextPatch.redo(content, edits), Result.succeed(after));
    },
    { arbitrary: { runs: 2000 } },
  );

  it.prop(
    "a patch gives what replacing gives, and is refused exactly when that would be ambiguous or empty",
    [text(30), text(2, 1), text(2)],
    ([content, oldString, newString]) => {
      const all = patch(content, oldString, newString, true);
      const one = patch(content, oldString, newString);
      if (oldString === newString || !content.includes(oldString)) {
        assert.isTrue(Result.isFailure(all) && Result.isFailure(one));
        return;
      }
      assert.strictEqual(Result.getOrThrow(all).content, content.split(oldString).join(newString));
      const isUnique = content.indexOf(oldString) === content.lastIndexOf(oldString);
      assert.strictEqual(Result.isSuccess(one), isUnique);
      if (isUnique) assert.strictEqual(Result.getOrThrow(one).content, Result.getOrThrow(all).content);
    },
    { arbitrary: { runs: 2000 } },
  );

  it.prop(
    "each recorded offset is where the old bytes stand in the old text",
    [text(40), text(2, 1)],
    ([content, oldString]) => {
      const patched = patch(content, oldString, "#", true);
      if (Result.isFailure(patched)) return;
      const whole = bytes(content);
      const wanted = bytes(oldString);
      for (const at of patched.success.edits.at) {
        assert.deepStrictEqual(whole.slice(at, at + wanted.length), wanted);
      }
    },
    { arbitrary: { runs: 1000 } },
  );

  it("edits of another text are refused", () => {
    const { content, edits } = Result.getOrThrow(patch("字one😀", "one", "two"));
    for (const wrong of ["", "xtwo😀", "字 two😀", "字one😀"]) {
      const undone = TextPatch.undo(wrong, edits);
      assert.isTrue(Result.isFailure(undone), wrong);
      if (Result.isFailure(undone)) assert.strictEqual(undone.failure.code, "workspace.patch_stale_file");
    }
    assert.isTrue(Result.isFailure(TextPatch.redo(content, edits)));
  });

  it.prop("edits survive JSON", [text(40), text(2, 1), text(2)], ([content, oldString, newString]) => {
    const patched = patch(content, oldString, newString, true);
    if (Result.isFailure(patched)) return;
    const { edits } = patched.success;
    const decoded = Schema.decodeUnknownSync(TextPatch.TextEdits)(JSON.parse(JSON.stringify(edits)));
    assert.deepStrictEqual(TextPatch.undo(patched.success.content, decoded), Result.succeed(content));
  });

  it("a megabyte is patched, undone and refused like any text", () => {
    const large = `${"Ein Satz über nichts, der lange währt. ".repeat(26_000)}END`;
    const { content, edits } = Result.getOrThrow(patch(large, "END", "FIN"));
    assert.deepStrictEqual(TextPatch.undo(content, edits), Result.succeed(large));
    assert.isTrue(Result.isFailure(patch(large, "nowhere to be found", "")));
    assert.isTrue(Result.isFailure(patch(large, "Satz", "Wort")));
    assert.lengthOf(Result.getOrThrow(patch(large, "Satz", "Wort", true)).edits.at, 26_000);
  });
});
