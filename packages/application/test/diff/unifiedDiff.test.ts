import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { unifiedDiff } from "@cahier/application/diff/unifiedDiff";
import { assert, describe, it } from "@effect/vitest";

/** What `git apply` makes of a file with a diff; null is a file that does not exist. */
const applied = (path: string, before: string | null, diff: string): string | null => {
  const folder = mkdtempSync(join(tmpdir(), "cahier-diff-"));
  try {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    if (before !== null) writeFileSync(file, before);
    const command = ["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"];
    execFileSync("git", command, { cwd: folder, input: diff, stdio: ["pipe", "pipe", "pipe"] });
    return existsSync(file) ? readFileSync(file, "utf8") : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const numbered = (count: number, word: string): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join("");

const cases: ReadonlyArray<readonly [title: string, before: string | null, after: string | null]> = [
  ["a new file", null, "One.\nTwo.\n"],
  ["a new file without a final line end", null, "One."],
  ["a deleted file", "One.\nTwo.\n", null],
  ["a changed line", "One.\nTwo.\nThree.\n", "One.\nDeux.\nThree.\n"],
  ["a final line end that goes", "One.\nTwo.\n", "One.\nTwo."],
  ["a final line end that comes", "One.\nTwo.", "One.\nTwo.\n"],
  ["carriage returns", "One.\r\nTwo.\r\n", "One.\r\nDeux.\r\n"],
  ["line ends that change", "One.\r\nTwo.\r\n", "One.\nTwo.\n"],
  ["text that begins like a diff", "--- a\n+++ b\n", "--- a\n@@ -1 +1 @@\n-x\n"],
  ["two places far apart", numbered(60, "line"), numbered(60, "line").replace("line 3\n", "").replace("line 50", "L")],
  ["a file that becomes empty", "One.\n", ""],
  ["a file that is replaced as a whole", numbered(3000, "old"), numbered(2500, "new")],
  ["a whole replacement without a final line end", numbered(3000, "old").trimEnd(), numbered(2500, "new")],
];

describe("a unified diff", () => {
  for (const [title, before, after] of cases)
    it(`of ${title} turns the one version into the other, byte by byte, with git apply`, () => {
      const path = "output/第一章 draft.md";
      assert.strictEqual(applied(path, before, unifiedDiff(path, before, after).text), after);
      assert.strictEqual(applied(path, after, unifiedDiff(path, after, before).text), before);
    });

  it("of a new empty file has a header and no lines", () => {
    const diff = unifiedDiff("output/main.md", null, "");
    assert.deepStrictEqual(diff, {
      text: "diff --git a/output/main.md b/output/main.md\nnew file mode 100644\n",
      addedLines: 0,
      removedLines: 0,
    });
  });

  it("counts the lines that it adds and removes, and shows three around them", () => {
    const before = numbered(20, "line");
    const diff = unifiedDiff("output/main.md", before, before.replace("line 9\n", "nine\nand a half\n"));
    assert.deepStrictEqual([diff.addedLines, diff.removedLines], [2, 1]);
    assert.strictEqual(
      diff.text,
      [
        "diff --git a/output/main.md b/output/main.md",
        "--- a/output/main.md",
        "+++ b/output/main.md",
        "@@ -7,7 +7,8 @@",
        " line 6",
        " line 7",
        " line 8",
        "-line 9",
        "+nine",
        "+and a half",
        " line 10",
        " line 11",
        " line 12",
        "",
      ].join("\n"),
    );
  });

  it("gives up looking for the smallest difference where nobody would read it", () => {
    const diff = unifiedDiff("output/main.md", `same\n${numbered(1500, "old")}`, `same\n${numbered(1500, "new")}`);
    assert.deepStrictEqual([diff.addedLines, diff.removedLines], [1501, 1501]);
  });
});
