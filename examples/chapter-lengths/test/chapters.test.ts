import { assert, describe, it } from "vitest";
import { chaptersOf } from "../src/chapters.ts";

const text = ["Motto", "", "# One", "It is dawn.", "## A", "They wait.", "# Two", "雨が降る", ""].join("\n");
const titles = (...lines: ReadonlyArray<string>) => chaptersOf(lines.join("\n")).map(({ title }) => title);

describe("the chapters of a text", () => {
  it("begin at each heading, and what stands before the first one is a part of its own", () => {
    assert.deepStrictEqual(
      chaptersOf(text).map(({ endLine, startLine, title, words }) => [title, startLine, endLine, words]),
      [
        [null, 1, 2, 1],
        ["One", 3, 4, 3],
        ["A", 5, 6, 2],
        ["Two", 7, 9, 4],
      ],
    );
  });

  it("hold the deeper headings when only higher ones begin a chapter", () => {
    const [, one] = chaptersOf(text, 1);
    assert.deepStrictEqual([one?.title, one?.startLine, one?.endLine], ["One", 3, 6]);
  });

  it("are none in an empty text, and one without a title in a text without headings", () => {
    assert.deepStrictEqual(chaptersOf(""), []);
    assert.deepStrictEqual(titles("Only this."), [null]);
  });

  it("do not begin in a fenced block, nor at a number sign without a space", () => {
    assert.deepStrictEqual(titles("# One", "```", "# not", "~~~", "```", "#not", "# Two #", "~~~~", "~~~", "# not"), [
      "One",
      "Two",
    ]);
  });

  it("have the same lengths with either kind of line end", () => {
    assert.deepStrictEqual(
      chaptersOf(text.replaceAll("\n", "\r\n")).map(({ chars, words }) => [chars, words]),
      chaptersOf(text).map(({ chars, words }) => [chars, words]),
    );
  });
});
