import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as FrontMatter from "../src/FrontMatter.ts";
import { manifestOf } from "../src/manifestOf.ts";
import * as PackagePath from "../src/PackagePath.ts";
import * as SkillName from "../src/SkillName.ts";

/** Texts of the pieces that rules are about, and of any others. */
const textOf = (pieces: ReadonlyArray<string>) =>
  Arbitrary.schema(Schema.Array(Schema.Union([Schema.Literals(pieces), Schema.String])));

const names = textOf(["a", "Z", "é", "写", "-", "_", " ", "ß", "ﬁ"]);
const paths = textOf(["a", "..", ".", "/", "\\", ":", "\0", ".git", ".GIT", "é", "e\u0301", " ", "\u200b"]);
const yaml = textOf([
  "---\n",
  "\n",
  "name",
  "description",
  ": ",
  "a",
  "[",
  "{",
  "&a ",
  "*a",
  "!!x ",
  "|",
  "  ",
  "- ",
  "'",
]);

describe("whatever a package says", () => {
  it.prop(
    "the name nearest to a text is a name, and nearest to itself",
    [names],
    ([pieces]) => {
      const name = SkillName.nearest(pieces.join(""));
      if (name === undefined) return;
      assert.isTrue(SkillName.isName(name));
      assert.strictEqual(SkillName.nearest(name), name);
    },
    { arbitrary: { runs: 500 } },
  );

  it.prop(
    "a path that is taken stays below its folder, is guarded against nothing, and parses to itself",
    [paths],
    ([pieces]) => {
      const path = PackagePath.parse(pieces.join(""));
      if (Result.isFailure(path)) return assert.strictEqual(path.failure.code, "skill.path_unsafe");
      assert.deepStrictEqual(PackagePath.parse(path.success), path);
      assert.isTrue(new URL(`file:///root/${encodeURI(path.success)}`).pathname.startsWith("/root/"));
      for (const segment of path.success.toLowerCase().split("/")) {
        assert.notInclude(["", ".", "..", ".git", ".ssh", ".env"], segment);
      }
    },
    { arbitrary: { runs: 500 } },
  );

  it.prop(
    "front matter is taken apart, and gives a manifest with a name or the reason why not",
    [yaml],
    ([pieces]) => {
      const text = pieces.join("");
      const read = manifestOf(FrontMatter.parse(`---\n${text}`), "folder");
      if (Result.isFailure(read)) {
        assert.include(["skill.front_matter_invalid", "skill.name_invalid"], read.failure.code);
        return;
      }
      assert.isTrue(SkillName.isName(read.success.manifest.name));
      assert.isNotEmpty(read.success.manifest.description);
    },
    { arbitrary: { runs: 500 } },
  );
});
