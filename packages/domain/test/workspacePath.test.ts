import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as WorkspacePath from "../src/workspace/WorkspacePath.ts";
import * as WorkspaceRoot from "../src/workspace/WorkspaceRoot.ts";

const pathOf = (text: string): WorkspacePath.WorkspacePath => Result.getOrThrow(WorkspacePath.parse(text));

const accepted = (text: string): string | undefined => Result.getOrUndefined(WorkspacePath.parse(text));

const refusal = (text: string): string => {
  const parsed = WorkspacePath.parse(text);
  assert.isTrue(Result.isFailure(parsed), `${JSON.stringify(text)} is accepted`);
  return Result.isFailure(parsed) ? `${parsed.failure.code} ${parsed.failure.message}` : "";
};

/** Pieces that make tricky paths likely. */
const piece = Arbitrary.schema(
  Schema.Literals([
    "a", "Main.md", "output", "..", ".", "/", "\\", "//", " ", "\t", "\n", "\u0000", "C:", ":", "é", "e\u0301", "\u0338",
    "．．", "‥", "／", "＼", "\u202e", "\u200b", "\ufeff", "\ud800", "\udc00", "😀", "con", "NUL", "...", ". ", "~", "%2e%2e",
    "日本", "\u2028", "*", "x".repeat(70),
  ]),
); // prettier-ignore

const spelling = Arbitrary.map(Arbitrary.array(piece, { maxLength: 9 }), (pieces) => pieces.join(""));

describe("workspace path", () => {
  it("a relative path is taken as it is", () => {
    for (const text of [
      "output/main.md",
      "a",
      "plan/第一章.md",
      "scratch/…/x y.md",
      ".hidden/a.b",
      "output/a#1 (2).md",
    ]) {
      assert.strictEqual(accepted(text), text);
    }
  });

  it("spellings of one file give one path", () => {
    const spellings = [
      "output/main.md", "./output/main.md", "output\\main.md", "output//main.md", "output/./main.md", " output/main.md\n",
      "output/main.md/", ".\\.\\output\\main.md",
    ]; // prettier-ignore
    for (const text of spellings) assert.strictEqual(accepted(text), "output/main.md");
    assert.strictEqual(accepted("output/cafe\u0301.md"), accepted("output/caf\u00e9.md"));
  });

  it.each([
    ["", "empty"],
    ["  ", "empty"],
    [".", "names no file"],
    ["././", "names no file"],
    ["/etc/passwd", "absolute"],
    ["\\\\server\\share", "absolute"],
    ["C:\\x", "drive letter"],
    ["z:notes", "drive letter"],
    ["..", "`..`"],
    ["output/../../x", "`..`"],
    ["output\\..\\x", "`..`"],
    ["output/a\u0000.md", "U+0000"],
    ["output/a\tb", "U+0009"],
    ["output/a\u202egpj.md", "U+202E"],
    ["output/a\u200b.md", "U+200B"],
    ["output/a\ud800.md", "Unicode"],
    ["output/．．/x", "looks like"],
    ["output/‥/x", "looks like"],
    ["output/a／b", "looks like"],
    ["output/what?.md", "`?`"],
    ["output/a.md:stream", "`:`"],
    ["output/a.", "dot"],
    ["output/...", "dot"],
    ["output/a /b", "white space"],
    ["output/ a", "white space"],
    ["output/CON", "device"],
    ["output/nul.tar.gz", "device"],
    ["output/com1 .txt", "device"],
    ["output/LPT².md", "device"],
    [`output/${"x".repeat(201)}`, "200 bytes"],
    [`output/${"字".repeat(67)}`, "200 bytes"],
    [Array.from({ length: 20 }, () => "x".repeat(60)).join("/"), "1024 bytes"],
  ])("%j is refused with its reason (%s)", (text, reason) => {
    const message = refusal(text);
    assert.include(message, "workspace.invalid_path");
    assert.include(message, reason);
  });

  it("a refusal shows a long or hostile text cut and escaped", () => {
    const message = refusal(`/${"x".repeat(5000)}\u0000`);
    assert.isBelow(message.length, 400);
    assert.notInclude(refusal("/a\u0000b"), "\u0000");
  });

  it("names that only resemble devices are ordinary", () => {
    for (const text of ["console.md", "output/auxiliary", "com10", "nullable.md"])
      assert.strictEqual(accepted(text), text);
  });

  it.prop(
    "an accepted path never leaves the workspace",
    [spelling],
    ([text]) => {
      const parsed = WorkspacePath.parse(text);
      if (Result.isFailure(parsed)) return;
      const root = new URL("file:///workspace/");
      const encoded = parsed.success.split("/").map(encodeURIComponent).join("/");
      assert.isTrue(new URL(encoded, root).pathname.startsWith("/workspace/"));
      for (const segment of WorkspacePath.segments(parsed.success)) {
        for (const form of [segment, segment.normalize("NFKC"), segment.trim()]) {
          assert.notInclude(["", ".", ".."], form);
          for (const character of ["/", "\\", "\u0000"]) assert.notInclude(form, character);
        }
      }
    },
    { arbitrary: { runs: 2000 } },
  );

  it.prop(
    "a parsed path parses to itself and satisfies the schema",
    [spelling],
    ([text]) => {
      const parsed = WorkspacePath.parse(text);
      if (Result.isFailure(parsed)) {
        assert.isFalse(Schema.is(WorkspacePath.WorkspacePath)(text));
        return;
      }
      assert.strictEqual(accepted(parsed.success), parsed.success);
      assert.isTrue(Schema.is(WorkspacePath.WorkspacePath)(parsed.success));
      assert.strictEqual(Schema.is(WorkspacePath.WorkspacePath)(text), text === parsed.success);
    },
    { arbitrary: { runs: 2000 } },
  );

  it.prop(
    "other separators, dots, white space around and decomposed letters do not change the path",
    [spelling],
    ([text]) => {
      const path = accepted(text);
      const variants = [
        text.replaceAll("/", "\\"),
        `./${text}`,
        ` ${text} `,
        text.normalize("NFD"),
        text.replaceAll("/", "/./"),
      ];
      if (path === undefined) return;
      for (const variant of variants) {
        // A text that begins with white space is another one behind `./`.
        if (variant.startsWith("./") && text !== text.trimStart()) continue;
        assert.strictEqual(accepted(variant), path);
      }
    },
    { arbitrary: { runs: 1000 } },
  );

  it("an absent, empty or dotted folder is the workspace itself", () => {
    for (const text of [undefined, "", ".", "./", " ", ".\\", "./."]) {
      assert.deepStrictEqual(WorkspacePath.parseFolder(text), Result.succeed(Option.none()));
    }
    assert.deepStrictEqual(WorkspacePath.parseFolder("output/"), Result.succeed(Option.some(pathOf("output"))));
    for (const text of ["/", "..", "\\", "/."]) assert.isTrue(Result.isFailure(WorkspacePath.parseFolder(text)));
  });

  it("parts of a path are whole segments", () => {
    const path = pathOf("output/part/one.md");
    assert.deepStrictEqual(WorkspacePath.segments(path), ["output", "part", "one.md"]);
    assert.strictEqual(WorkspacePath.firstSegment(path), "output");
    assert.strictEqual(WorkspacePath.name(path), "one.md");
    assert.deepStrictEqual(WorkspacePath.parent(path), Option.some(pathOf("output/part")));
    assert.deepStrictEqual(WorkspacePath.parent(pathOf("output")), Option.none());
    assert.isTrue(WorkspacePath.isInside(path, "output"));
    assert.isTrue(WorkspacePath.isInside(pathOf("output"), "output"));
    assert.isFalse(WorkspacePath.isInside(pathOf("output2/x"), "output"));
    assert.isFalse(WorkspacePath.isStrictlyInside(pathOf("output"), "output"));
  });

  it("the runtime's own first segments are reserved in any case", () => {
    for (const name of WorkspacePath.reservedFirstSegments)
      assert.isTrue(WorkspacePath.isReserved(pathOf(`${name}/x`)));
    assert.isTrue(WorkspacePath.isReserved(pathOf("Events.JSONL")));
    assert.isFalse(WorkspacePath.isReserved(pathOf("output/runs")));
  });
});

describe("workspace roots", () => {
  const access: WorkspaceRoot.WorkspaceAccess = {
    visibleRoots: ["output", "plan"],
    writableRoots: ["output"],
    readOnlyMounts: ["tool-results"],
  };

  it("no root has a reserved name", () => {
    for (const root of WorkspaceRoot.rootNames) assert.isFalse(WorkspacePath.isReserved(pathOf(root)));
  });

  it("only persist outlives the run and belongs to the chat", () => {
    for (const root of WorkspaceRoot.roots(access)) {
      const { lifecycle, scope, mount, commit } = root;
      const expected =
        root.path === "persist"
          ? ["persistent", "chat", "projected_overlay", "on_run_completed"]
          : ["run", "run", "materialized", "never"];
      assert.deepStrictEqual([lifecycle, scope, mount, commit], expected);
      assert.isTrue(Schema.is(WorkspaceRoot.WorkspaceRoot)(root));
    }
    assert.deepStrictEqual(
      WorkspaceRoot.roots(access).map((root) => [root.path, root.visible, root.writable]),
      [
        ["output", true, true],
        ["scratch", false, false],
        ["plan", true, false],
        ["summaries", false, false],
        ["persist", false, false],
      ],
    );
  });

  it("what lies in visible roots and read-only mounts may be read", () => {
    for (const text of ["output", "output/a", "plan/x/y", "tool-results/a.json"]) {
      assert.isTrue(Result.isSuccess(WorkspaceRoot.admitRead(access, pathOf(text))));
    }
    for (const text of ["scratch/a", "input/prompt_snapshot.json", "Output/a", "outputs/a", "events.jsonl"]) {
      const admitted = WorkspaceRoot.admitRead(access, pathOf(text));
      assert.isTrue(Result.isFailure(admitted));
      if (Result.isFailure(admitted)) {
        assert.strictEqual(admitted.failure.code, "workspace.path_not_visible");
        assert.include(admitted.failure.message, "output/, plan/, tool-results/");
      }
    }
  });

  it("only files below a writable root may be written, never a root itself", () => {
    assert.isTrue(Result.isSuccess(WorkspaceRoot.admitWrite(access, pathOf("output/a"))));
    for (const text of ["output", "plan/x", "tool-results/a.json", "manifest.json", "outputs/a"]) {
      const admitted = WorkspaceRoot.admitWrite(access, pathOf(text));
      assert.isTrue(Result.isFailure(admitted), text);
      if (Result.isFailure(admitted)) assert.strictEqual(admitted.failure.code, "workspace.path_not_writable");
    }
    const nothing = WorkspaceRoot.admitWrite({ ...access, writableRoots: [] }, pathOf("output/a"));
    assert.include(Result.isFailure(nothing) ? nothing.failure.message : "", "none");
  });

  it("the root of a path is its first segment", () => {
    assert.deepStrictEqual(WorkspaceRoot.rootOf(pathOf("persist/memory.md")), Option.some("persist"));
    assert.deepStrictEqual(WorkspaceRoot.rootOf(pathOf("skills/a")), Option.none());
  });
});
