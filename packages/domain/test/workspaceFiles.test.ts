import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as FileList from "../src/workspace/FileList.ts";
import * as FileSearch from "../src/workspace/FileSearch.ts";
import * as SearchTerms from "../src/workspace/SearchTerms.ts";
import * as WorkspacePath from "../src/workspace/WorkspacePath.ts";

const pathOf = (text: string): WorkspacePath.WorkspacePath => Result.getOrThrow(WorkspacePath.parse(text));

const list = (files: ReadonlyArray<string>, folder?: string, depth?: number, folders: ReadonlyArray<string> = []) =>
  FileList.list(
    { files: files.map(pathOf), folders },
    {
      folder: folder === undefined ? Option.none() : Option.some(pathOf(folder)),
      ...(depth === undefined ? {} : { depth }),
    },
  );

const shown = (result: ReturnType<typeof list>): ReadonlyArray<string> =>
  Result.getOrThrow(result).entries.map(({ path, kind }) => (kind === "directory" ? `${path}/` : path));

const codeOf = (result: Result.Result<unknown, { readonly code: string }>): string =>
  Result.isFailure(result) ? result.failure.code : "admitted";

const files = ["output/main.md", "output/parts/one.md", "output/parts/old/zero.md", "plan/outline.md", "a.md"];

describe("file list", () => {
  it("two levels are listed, upper levels first, directories before files", () => {
    assert.deepStrictEqual(shown(list(files)), [
      "output/",
      "plan/",
      "a.md",
      "output/parts/",
      "output/main.md",
      "plan/outline.md",
    ]);
  });

  it("a folder is listed by itself, to the wanted depth", () => {
    assert.deepStrictEqual(shown(list(files, "output", 1)), ["output/parts/", "output/main.md"]);
    assert.deepStrictEqual(shown(list(files, "output", 3)), [
      "output/parts/",
      "output/main.md",
      "output/parts/old/",
      "output/parts/one.md",
      "output/parts/old/zero.md",
    ]);
  });

  it("folders without files are shown too, and list as empty", () => {
    assert.deepStrictEqual(shown(list([], undefined, 1, ["output", "plan"])), ["output/", "plan/"]);
    assert.deepStrictEqual(shown(list([], "plan", 2, ["output", "plan"])), []);
  });

  it("a file lists as itself", () => {
    assert.deepStrictEqual(shown(list(files, "output/main.md")), ["output/main.md"]);
  });

  it("a path that names nothing is refused", () => {
    assert.strictEqual(codeOf(list(files, "outpu")), "workspace.path_not_found");
    assert.strictEqual(codeOf(list([], "output", 2, ["output2"])), "workspace.path_not_found");
  });

  it("more than four levels are refused", () => {
    assert.strictEqual(codeOf(list(files, undefined, 5)), "workspace.list_depth_too_large");
    assert.strictEqual(codeOf(list(files, undefined, Number.NaN)), "workspace.list_depth_too_large");
    assert.strictEqual(codeOf(list(files, undefined, 4)), "admitted");
  });

  it("two hundred entries are shown, then the listing says that it is cut", () => {
    const many = Array.from({ length: 200 }, (_, index) => `f${index}`);
    assert.deepStrictEqual(
      [Result.getOrThrow(list(many)).entries.length, Result.getOrThrow(list(many)).truncated],
      [200, false],
    );
    const more = Result.getOrThrow(list([...many, "z/a/b"]));
    assert.deepStrictEqual([more.entries.length, more.truncated, more.entries[0]?.path], [200, true, "z"]);
  });

  const tree = Arbitrary.array(
    Arbitrary.map(
      Arbitrary.array(Arbitrary.schema(Schema.Literals(["a", "b", "c", "aa"])), { minLength: 2, maxLength: 5 }),
      (segments) => `${segments.join("/")}.md`,
    ),
    { maxLength: 12 },
  );

  it.prop("the order of the paths does not matter and nothing is listed twice", [tree], ([paths]) => {
    const forward = shown(list(paths, undefined, 4));
    assert.deepStrictEqual(shown(list(paths.toReversed(), undefined, 4)), forward);
    assert.strictEqual(new Set(forward).size, forward.length);
    const expected = new Set(paths.filter((path) => path.split("/").length <= 4));
    assert.deepStrictEqual(new Set(forward.filter((path) => !path.endsWith("/"))), expected);
  });
});

const file = (path: string, text: string): FileSearch.SearchFile => ({ path, text, sha256: `sha of ${path}` });

const search = (
  of: ReadonlyArray<FileSearch.SearchFile>,
  query: string,
  options: Partial<FileSearch.SearchRequest> = {},
) => FileSearch.search(of, { query, ...options });

const hits = (...input: Parameters<typeof search>) => Result.getOrThrow(search(...input));

describe("file search", () => {
  const story = file(
    "output/main.md",
    [
      "# Chapter one",
      "",
      "The lantern swung over the harbour.",
      "Mara did not look up.",
      "",
      "",
      "",
      "",
      "",
      "A lantern, again.",
      "The harbour slept.",
    ].join("\n"),
  );

  it("the place with the most terms comes first, with its lines and a reference", () => {
    const [best, second] = hits([story], "lantern harbour", { contextLines: 0 });
    assert.deepStrictEqual(best, {
      path: "output/main.md",
      score: 14,
      startLine: 3,
      endLine: 3,
      snippet: "The lantern swung over the harbour.",
      sha256: "sha of output/main.md",
      ref: "workspace:output/main.md#L3-L3",
    });
    assert.strictEqual(second?.score, 7);
  });

  it("context lines surround a hit and hits of one file share no line", () => {
    const found = hits([story], "lantern harbour");
    assert.deepStrictEqual(
      found.map(({ startLine, endLine }) => [startLine, endLine]),
      [
        [1, 5],
        [8, 11],
      ],
    );
    assert.strictEqual(
      found[0]?.snippet,
      "# Chapter one\n\nThe lantern swung over the harbour.\nMara did not look up.\n",
    );
  });

  it("case and width of letters do not matter", () => {
    assert.strictEqual(hits([file("a", "ＬＡＮＴＥＲＮ")], "lantern").length, 1);
    assert.strictEqual(hits([file("a", "STRASSE über")], "ÜBER").length, 1);
    assert.strictEqual(hits([file("a", "cafe\u0301")], "CAFÉ").length, 1);
  });

  it("a whole word counts double a part of a longer one", () => {
    const [whole, part] = hits([file("a", "moonlight"), file("b", "the moon")], "moon");
    assert.deepStrictEqual([whole?.path, whole?.score, part?.path, part?.score], ["b", 4, "a", 2]);
    assert.strictEqual(hits([file("a", "moonlight, moon")], "moon")[0]?.score, 4);
  });

  it("the words as written beat the same words apart", () => {
    const [first] = hits([file("a", "harbour of the lantern"), file("b", "the lantern harbour")], "lantern harbour");
    assert.strictEqual(first?.path, "b");
  });

  it("Chinese, Japanese and Korean are found without spaces", () => {
    const texts = [
      file("zh", "她提着灯笼走过码头。"),
      file("ja", "灯台の光が海を照らす。"),
      file("ko", "등대가 바다를 비춘다."),
    ];
    assert.deepStrictEqual(
      hits(texts, "灯笼码头").map(({ path }) => path),
      ["zh"],
    );
    assert.deepStrictEqual(
      hits(texts, "海").map(({ path }) => path),
      ["ja"],
    );
    assert.deepStrictEqual(
      hits(texts, "등대").map(({ path }) => path),
      ["ko"],
    );
    assert.deepStrictEqual(hits(texts, "火山"), []);
  });

  it("a query of signs is searched as written", () => {
    assert.strictEqual(hits([file("a", "one\n***\ntwo")], "***", { contextLines: 0 })[0]?.startLine, 2);
  });

  it("a long line is cut around its match and no character is split", () => {
    const [hit] = hits([file("a", `${"😀".repeat(700)} needle ${"字".repeat(900)}`)], "needle");
    assert.isBelow(hit?.snippet.length ?? 0, 310);
    assert.include(hit?.snippet ?? "", "needle");
    assert.isTrue(hit?.snippet.isWellFormed());
    assert.match(hit?.snippet ?? "", /^….*…$/);
  });

  it("limits are kept and refused beyond", () => {
    const many = Array.from({ length: 80 }, (_, index) => file(`f${index}`, "needle"));
    assert.strictEqual(hits(many, "needle").length, 20);
    assert.strictEqual(hits(many, "needle", { limit: 50 }).length, 50);
    assert.strictEqual(codeOf(search(many, "needle", { limit: 51 })), "workspace.search_limit_too_large");
    for (const limit of [0, -1, 1.5, Number.NaN]) {
      assert.strictEqual(codeOf(search(many, "needle", { limit })), "workspace.search_limit_invalid");
    }
    for (const contextLines of [6, -1, Number.NaN]) {
      assert.strictEqual(codeOf(search(many, "needle", { contextLines })), "workspace.search_context_too_large");
    }
    assert.strictEqual(codeOf(search(many, " \n ")), "tool.invalid_arguments");
  });

  it("a query has at most 64 terms, each once, none heavier than eight", () => {
    const terms = SearchTerms.parse(
      `a a extraordinarily ${Array.from({ length: 100 }, (_, index) => `w${index}`).join(" ")}`,
    );
    assert.strictEqual(terms.words.length, 64);
    assert.deepStrictEqual(
      terms.words.slice(0, 3).map(({ text, weight }) => [text, weight]),
      [
        ["a", 1],
        ["extraordinarily", 8],
        ["w0", 2],
      ],
    );
  });

  const piece = Schema.Literals(["moon", "lantern", " ", "\n", "\r\n", "灯", "笼", "ﬁ", "İ", "e\u0301", "😀", "."]);
  const text = Arbitrary.map(Arbitrary.array(Arbitrary.schema(piece), { maxLength: 40 }), (parts) => parts.join(""));

  it.prop(
    "hits stay inside their file, overlap nowhere and hold what they quote",
    [text, text, text],
    ([left, right, query]) => {
      const of = [file("left", left), file("right", right)];
      const found = search(of, query, { contextLines: 1, limit: 50 });
      assert.deepStrictEqual(search(of.toReversed(), query, { contextLines: 1, limit: 50 }), found);
      if (Result.isFailure(found)) return;
      const lines = new Set<string>();
      for (const hit of found.success) {
        const source = (hit.path === "left" ? left : right).split("\n");
        const quoted = source.slice(hit.startLine - 1, hit.endLine).map((line) => line.replace(/\r$/, ""));
        assert.strictEqual(hit.snippet, quoted.join("\n"));
        assert.isAbove(hit.score, 0);
        for (let line = hit.startLine; line <= hit.endLine; line++) {
          assert.isFalse(lines.has(`${hit.path}:${line}`));
          lines.add(`${hit.path}:${line}`);
        }
      }
      assert.deepStrictEqual(
        found.success.map(({ score }) => score).toSorted((a, b) => b - a),
        found.success.map(({ score }) => score),
      );
    },
    { arbitrary: { runs: 500 } },
  );

  it("ten megabytes in a thousand files are searched, the best place first", () => {
    const corpus = Array.from({ length: 1000 }, (_, index) =>
      file(`f${index}`, `The quick brown fox ${index} jumps over the lazy dog.\n`.repeat(200)),
    );
    const found = hits(corpus, "lazy fox 999 lantern");
    assert.strictEqual(found[0]?.path, "f999");
  });
});
