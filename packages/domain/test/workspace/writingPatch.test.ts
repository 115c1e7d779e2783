import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as TextPatch from "../../src/workspace/TextPatch.ts";
import * as Typography from "../../src/workspace/Typography.ts";
import { type Place, placesOf } from "../../src/workspace/foldedPlaces.ts";
import * as WritingPatch from "../../src/workspace/WritingPatch.ts";
import { editCases } from "./editCorpus.ts";

const edit = (content: string, oldString: string, newString: string, replaceAll = false) =>
  WritingPatch.apply(content, { oldString, newString, replaceAll });

const messageOf = (result: Result.Result<unknown, TextPatch.PatchRefusal>): string =>
  Result.isFailure(result) ? result.failure.message : "";

const bytes = (text: string) => [...new TextEncoder().encode(text)];

describe("the corpus of edits", () => {
  it("has at least sixty cases", () => {
    assert.isAtLeast(new Set(editCases.map(({ title }) => title)).size, 60);
  });

  it.each(editCases)("$title", ({ adopted, all, file, next, old, result }) => {
    const written = edit(file, old, next, all);
    if (Result.isFailure(written)) {
      assert.strictEqual(written.failure.code, result);
      assert.match(written.failure.message, /^\S[^]*\S$/);
      return;
    }
    const { content, edits } = written.success;
    assert.strictEqual(content, result);
    assert.deepStrictEqual(bytes(content), bytes(result));
    assert.deepStrictEqual(written.success.adopted, adopted);
    const recorded = Schema.decodeUnknownSync(TextPatch.TextEdits)(JSON.parse(JSON.stringify(edits)));
    assert.deepStrictEqual(TextPatch.undo(content, recorded), Result.succeed(file));
    assert.deepStrictEqual(TextPatch.redo(file, recorded), Result.succeed(content));
  });
});

describe("an edit that does not fit", () => {
  const story = [
    "The rain had stopped before dawn.",
    "Mira opened the window and listened to the street below.",
    "Nobody was there, only the old dog that slept under the lamp.",
    "She closed it again.",
  ].join("\n");

  it("is answered with the nearest passage and its line numbers", () => {
    const message = messageOf(
      edit(story, "Mira opened the door and listened to the road below.\nNobody was here", "x"),
    );
    assert.include(message, "lines 2 to 3");
    assert.include(message, "2\tMira opened the window and listened to the street below.");
    assert.include(message, "3\tNobody was there");
    assert.notInclude(message, "The rain");
    assert.include(messageOf(edit(story, "The rain had stopped after dawn.", "x")), "The nearest passage is line 1");
  });

  it("is answered plainly when nothing resembles it", () => {
    assert.include(messageOf(edit(story, "完全不同的文字", "x")), "Nothing in the file resembles it");
    assert.include(messageOf(edit("", "word", "x")), "Nothing in the file resembles it");
  });

  it("never shows more than a dozen lines, nor long lines whole", () => {
    const file = Array.from({ length: 100 }, (_, line) => `word ${"very ".repeat(200)}${line}`).join("\n");
    const message = messageOf(edit(file, Array.from({ length: 50 }, () => "word very unlike").join("\n"), "x"));
    assert.isBelow(message.length, 5000);
    assert.lengthOf(message.split("\n"), 13);
  });

  it("names the lines of passages that differ in typography only", () => {
    assert.include(
      messageOf(edit("‘a’\nb\n’a’", "'a'", "x")),
      "2 passages differ from it in typography only (lines 1, 3)",
    );
  });
});

describe("the properties of an edit", () => {
  const pieces = [
    "a",
    "b",
    " ",
    "\u00a0",
    "“",
    "”",
    '"',
    "'",
    "’",
    "-",
    "—",
    "--",
    "…",
    "...",
    "\n",
    "\r\n",
    "é",
    "e\u0301",
    "，",
    ",",
    "字",
    "😀",
  ];
  const text = (maxLength: number, minLength = 0) =>
    Arbitrary.map(Arbitrary.array(Arbitrary.schema(Schema.Literals(pieces)), { minLength, maxLength }), (parts) =>
      parts.join(""),
    );

  it.prop(
    "changes nothing outside of one passage, and is undone and redone by what it records",
    [text(20), text(3, 1), text(3), Schema.Boolean],
    ([content, old, next, all]) => {
      const written = edit(content, old, next, all);
      if (Result.isFailure(written)) return;
      const { content: after, edits } = written.success;
      assert.deepStrictEqual(TextPatch.undo(after, edits), Result.succeed(content));
      assert.deepStrictEqual(TextPatch.redo(content, edits), Result.succeed(after));
      if (!content.includes(old)) {
        assert.lengthOf(edits.at, 1);
        const shortened = old.replace(/\r?\n$/, "");
        assert.include([Typography.fold(old).text, Typography.fold(shortened).text], Typography.fold(edits.old).text);
      }
    },
    { arbitrary: { runs: 3000 } },
  );

  it.prop(
    "an exact passage in a text of one line is replaced exactly as it was asked",
    [text(12), text(3, 1), text(3)],
    ([content, old, next]) => {
      if ((content + old + next).includes("\n") || !content.includes(old)) return;
      const written = edit(content, old, next);
      const plain = TextPatch.apply(content, { oldString: old, newString: next, replaceAll: false });
      assert.deepStrictEqual(
        Result.map(written, ({ content: after }) => after),
        Result.map(plain, ({ content: after }) => after),
      );
    },
    { arbitrary: { runs: 2000 } },
  );

  it.prop(
    "folding knows the way back: the units of a text are the text, and offsets lead to whole pieces",
    [text(20)],
    ([content]) => {
      const units = Typography.units(content);
      const folded = Typography.fold(content);
      assert.strictEqual(units.map(({ source }) => source).join(""), content);
      assert.strictEqual(units.map((unit) => unit.folded).join(""), folded.text);
      assert.strictEqual(Typography.sourceOffset(folded, folded.text.length), content.length);
      assert.strictEqual(Typography.fold(folded.text).text, folded.text);
    },
    { arbitrary: { runs: 1000 } },
  );

  it.prop(
    "a passage is found in a long text where it is found in a short one",
    [text(12), text(4, 1)],
    ([content, old]) => {
      const filler = "zz; ".repeat(6000);
      if (Typography.fold(filler).text.includes(Typography.fold(old).text)) return;
      const shifted = (before: number) => (place: Place) => [place.start - before, place.end - before];
      assert.deepStrictEqual(
        placesOf(filler + content + filler, old).map(shifted(filler.length)),
        placesOf(`; ${content}zz`, old).map(shifted(2)),
      );
    },
    { arbitrary: { runs: 200 } },
  );

  it("a letter and its mark anchor no search in a long text that has them composed", () => {
    const filler = "zz; ".repeat(6000);
    assert.deepStrictEqual(
      placesOf(`${filler}\u00e9${filler}`, "e\u0301").map(({ start, end }) => [start - filler.length, end - start]),
      [[0, 1]],
    );
  });

  it("a megabyte is edited in its own typography", () => {
    const english = `${"“It’s late,” she said — and the rain, which had not stopped… went on. ".repeat(14_000)}“END” — here.`;
    const chinese = `${"“他来了，”她说——雨没有停……继续下着。".repeat(17_000)}“完” — here.`;
    for (const [file, word] of [
      [english, "END"],
      [chinese, "完"],
    ] as const) {
      assert.isAtLeast(bytes(file).length, 1_000_000);
      assert.isTrue(Result.isSuccess(edit(file, `"${word}" - here`, `"${word}" - there`)));
      assert.isTrue(Result.isSuccess(edit(file, `“${word}”`, "x")));
    }
  });
});
