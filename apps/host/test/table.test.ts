import { assert, describe, it } from "@effect/vitest";
import { table } from "../src/cli/table.ts";

describe("a table", () => {
  it("has columns as wide as their widest text, wide characters counted twice", () => {
    assert.deepStrictEqual(
      table(
        ["A", "NAME", "LAST"],
        [
          ["1", "灯台", "x"],
          ["22", "pier", ""],
        ],
      ),
      ["A   NAME  LAST", "1   灯台  x", "22  pier"],
    );
  });

  it("cuts the last column where the terminal ends", () => {
    const [, row = ""] = table(["A", "LAST"], [["1", "the lamp is wound three times a night"]], 30);
    assert.strictEqual(row, "1  the lamp is wound three ti…");
  });

  it("leaves the last column whole where the terminal has no room for it", () => {
    const text = "the lamp is wound three times a night";
    assert.deepStrictEqual(table(["A", "LAST"], [["1", text]], 12)[1], `1  ${text}`);
    assert.deepStrictEqual(table(["A", "LAST"], [["1", text]])[1], `1  ${text}`);
  });

  it("of nothing is its heads", () => {
    assert.deepStrictEqual(table(["A", "B"], []), ["A  B"]);
  });
});
