import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { assert, describe, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const documents = [
  ...fs.readdirSync(root).filter((name) => name.endsWith(".md")),
  ...fs.readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith(".md"));

/** The targets of a document's links, without those that lead to the web. Code is no link. */
const linksOf = (text: string): ReadonlyArray<string> =>
  [...text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/gu, "").matchAll(/\]\(([^)\s]+)\)/gu)]
    .map((match) => match[1] ?? "")
    .filter((target) => !/^[a-z]+:/u.test(target));

/** The anchors of a page: those that it states, and those that its headings get. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set([
    ...[...text.matchAll(/<a id="([^"]+)">/gu)].map((match) => match[1] ?? ""),
    ...[...text.matchAll(/^#+ (.+)$/gmu)].map((match) =>
      (match[1] ?? "")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  ]);

const brokenLinksOf = (document: string): ReadonlyArray<string> => {
  const text = fs.readFileSync(path.join(root, document), "utf8");
  return linksOf(text).filter((target) => {
    const [file = "", anchor] = target.split("#");
    const page = file === "" ? path.join(root, document) : path.join(root, path.dirname(document), file);
    if (!fs.existsSync(page)) return true;
    return anchor !== undefined && !anchorsOf(fs.readFileSync(page, "utf8")).has(anchor);
  });
};

describe("the documents", () => {
  it.each(documents)("%s has links that lead somewhere", (document) => {
    assert.deepStrictEqual(brokenLinksOf(document), []);
  });

  it.each(documents.filter((document) => document.startsWith("docs/guides/")))(
    "%s has at most six steps",
    (document) => {
      const text = fs.readFileSync(path.join(root, document), "utf8");
      const steps = [...text.matchAll(/^(\d+)\. /gmu)].map((match) => Number(match[1]));
      assert.deepStrictEqual(steps, [1, 2, 3, 4, 5, 6].slice(0, steps.length));
      assert.isNotEmpty(steps);
    },
  );

  it("are found, with their links", () => {
    assert.include(documents, "README.md");
    assert.include(documents, "docs/reference/tools.md");
    assert.deepStrictEqual(linksOf("[a](b.md#c), `[d](e.md)`, [f](https://example.org)"), ["b.md#c"]);
  });
});
