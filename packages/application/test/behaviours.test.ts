import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assert, describe, it } from "@effect/vitest";

const root = join(import.meta.dirname, "../../..");

/** A line of a table of the page: an older name, the group and the title of our test, and its file. */
interface Line {
  readonly name: string;
  readonly group: string;
  readonly title: string;
  readonly file: string;
}

const lineOf = /^\| (?<name>.+?) +\| `(?<group>.+?)` › `(?<title>.+?)` +\| (?<file>\S+) +\|$/;

const tableRows = readFileSync(join(root, "docs/behaviours.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("|") && !line.startsWith("| older name") && !line.startsWith("| -"));

const lines = tableRows.flatMap((row): ReadonlyArray<Line> => {
  const { file = "", group = "", name = "", title = "" } = lineOf.exec(row)?.groups ?? {};
  return file === "" ? [] : [{ name, group, title, file }];
});

const contents = (file: string): string => readFileSync(join(root, file), "utf8");

describe("the page of behaviours", () => {
  it("has nothing in its tables but names, tests and files", () => {
    assert.strictEqual(lines.length, tableRows.length);
    assert.isAbove(new Set(lines.map(({ name }) => name)).size, 45);
  });

  it("names files that are there, and groups and titles that stand in them", () => {
    for (const { file, group, name, title } of lines) {
      assert.isTrue(existsSync(join(root, file)), `${name}: ${file}`);
      const source = contents(file);
      assert.include(source, `describe(${JSON.stringify(group)}`, `${name}: the group in ${file}`);
      assert.include(source, JSON.stringify(title), `${name}: the title in ${file}`);
    }
  });
});
