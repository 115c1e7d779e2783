import { filesOf, type PackageFile, packageHash } from "@cahier/domain/skill/Skill";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Limits from "../src/Limits.ts";
import type { SkillFaultCode } from "../src/SkillFault.ts";
import * as SkillReader from "../src/SkillReader.ts";
import { codesOf, file, plain, skill } from "./support/files.ts";

const refuses = (title: string, files: ReadonlyArray<PackageFile>, code: SkillFaultCode, folderName?: string) =>
  it.effect(title, () =>
    Effect.gen(function* () {
      const fault = yield* Effect.flip(SkillReader.read(files, { folderName }));
      assert.strictEqual(fault.code, code);
      assert.match(fault.detail, /\. \S/);
      assert.strictEqual(fault.message, fault.detail);
    }),
  );

const reads = (
  title: string,
  files: ReadonlyArray<PackageFile>,
  expected: { readonly name?: string; readonly description?: string; readonly warnings: ReadonlyArray<string> },
  folderName?: string,
) =>
  it.effect(title, () =>
    Effect.gen(function* () {
      const { manifest, warnings } = yield* SkillReader.read(files, { folderName });
      assert.deepStrictEqual(codesOf(warnings), expected.warnings);
      if (expected.name !== undefined) assert.strictEqual(manifest.name, expected.name);
      if (expected.description !== undefined) assert.strictEqual(manifest.description, expected.description);
    }),
  );

describe("a package", () => {
  it.effect("has its manifest, its sidecar and its files in order", () =>
    Effect.gen(function* () {
      const sidecar = { displayName: "Pacing", recommendedContext: { defaultBudgetTokens: 900 }, tags: ["prose"] };
      const read = yield* SkillReader.read(
        [
          file("references/b.md"),
          file("agents/tauritavern.json", JSON.stringify({ version: 1, ...sidecar })),
          skill(
            'name: pacing\ndescription: "How: scenes breathe"\nlicense: MIT\ncompatibility: any\nallowed-tools: Read Bash(git log:*), Write\nmetadata:\n  version: 1.5\n  tags: [a, b]',
            "See [b](references/b.md) and [the folder](./references/#top) and [elsewhere](https://example.org/x).",
          ),
        ],
        { folderName: "pacing" },
      );
      assert.deepStrictEqual(read.manifest, {
        name: "pacing",
        description: "How: scenes breathe",
        license: "MIT",
        compatibility: "any",
        allowedTools: ["Read", "Bash(git log:*)", "Write"],
        metadata: { version: 1.5, tags: ["a", "b"] },
      });
      assert.deepStrictEqual(read.sidecar, sidecar);
      assert.deepStrictEqual(
        read.files.map(({ path }) => path),
        ["SKILL.md", "agents/tauritavern.json", "references/b.md"],
      );
      assert.isEmpty(read.warnings);
    }),
  );

  it.effect("has one hash, in whatever order and composition of letters its files come", () =>
    Effect.gen(function* () {
      const one = yield* SkillReader.read([plain, file("é.md".normalize("NFD")), file("a.md")]);
      const other = yield* SkillReader.read([file("a.md"), file("é.md".normalize("NFC")), plain]);
      assert.strictEqual(packageHash(filesOf(one.files)), packageHash(filesOf(other.files)));
    }),
  );

  it.effect("keeps no key that a prototype has", () =>
    Effect.gen(function* () {
      const { manifest } = yield* SkillReader.read([
        skill(
          "name: a\ndescription: b\n__proto__: {x: 1}\nmetadata:\n  __proto__: {polluted: true}\n  constructor: 1\n  a: {prototype: 2, b: .inf}",
        ),
      ]);
      assert.deepStrictEqual(manifest.metadata, { a: { b: "Infinity" } });
      assert.isUndefined(Reflect.get(manifest, "x"));
      assert.isUndefined(Reflect.get(manifest.metadata ?? {}, "polluted"));
    }),
  );
});

describe("what is odd about a package is warned of", () => {
  const named = (name: string) => [skill(`name: ${name}\ndescription: d`)];
  reads("keys that the format does not have", [skill("name: a\ndescription: b\nauthor: me")], {
    warnings: ["keys_unknown"],
  });
  reads("a name unlike the folder", named("pacing"), { name: "pacing", warnings: ["name_unlike_folder"] }, "other");
  reads("a name longer than others allow", named("a".repeat(65)), { warnings: ["name_too_long"] });
  reads("a name with an underscore", named("a_b"), { name: "a_b", warnings: ["name_unpublishable"] });
  reads("a name with two hyphens", named("a--b"), { name: "a--b", warnings: ["name_unpublishable"] });
  reads("a name with a hyphen at its end", named("a-"), { name: "a-", warnings: ["name_unpublishable"] });
  reads("a name that cannot be kept", named("Café/Pacing 2"), { name: "cafe-pacing-2", warnings: ["name_changed"] });
  reads(
    "a name that nothing can be made of",
    named("写作"),
    { name: "writing", warnings: ["name_changed"] },
    "writing",
  );
  reads("a name far too long", named("a".repeat(300)), {
    name: "a".repeat(128),
    warnings: ["name_changed", "name_too_long"],
  });
  reads(
    "no name",
    [skill("description: d")],
    { name: "my-skill", warnings: ["name_missing", "name_unlike_folder"] },
    "My Skill",
  );
  reads("no description", [skill("name: a")], { description: "Slow down.", warnings: ["description_missing"] });
  reads("no description and nothing but a heading", [skill("name: a", "## Slow down ##\n---\n")], {
    description: "Slow down ##",
    warnings: ["description_missing"],
  });
  reads("a description longer than others allow", [skill(`name: a\ndescription: ${"d".repeat(1025)}`)], {
    warnings: ["description_too_long"],
  });
  reads(
    "a compatibility longer than others allow",
    [skill(`name: a\ndescription: b\ncompatibility: ${"c".repeat(501)}`)],
    { warnings: ["compatibility_too_long"] },
  );
  reads("values of another kind", [skill("name: 7\ndescription: [b]\nlicense: {a: b}\nmetadata: c")], {
    name: "7",
    description: "Slow down.",
    warnings: ["description_missing", "value_ignored", "value_ignored", "value_ignored"],
  });
  reads(
    "no front matter",
    [file("SKILL.md", "# Pacing\n\nSlow\ndown.\n\nMore.")],
    {
      name: "pacing",
      description: "Slow down.",
      warnings: ["front_matter_missing", "name_missing", "description_missing"],
    },
    "pacing",
  );
  reads(
    "front matter that does not end",
    [file("SKILL.md", "---\nname: a\n\nSlow down.")],
    { name: "b", warnings: ["front_matter_unreadable", "name_missing", "description_missing"] },
    "b",
  );
  reads("a colon in a text", [skill("name: 'a'\ndescription: Use when: scenes\n  drag\nname: twice")], {
    name: "a",
    description: "Use when: scenes drag",
    warnings: ["front_matter_unreadable"],
  });
  reads("text in lines beside front matter that is wrong", [skill("name: a\ndescription: >-\n  Two\n  lines\nx: [")], {
    description: "Two lines",
    warnings: ["front_matter_unreadable"],
  });
  reads(
    "aliases without end",
    [skill(`name: a\ndescription: b\nmetadata:\n  a: &a [1]\n  b: &b [*a,*a,*a,*a,*a]\n  c: [*b,*b,*b,*b,*b]`)],
    { name: "a", description: "b", warnings: ["front_matter_unreadable"] },
  );
  reads("front matter nested without end", [skill(`name: a\ndescription: b\nx: ${"[".repeat(30_000)}`)], {
    name: "a",
    warnings: ["front_matter_unreadable"],
  });
  reads(
    "front matter without end",
    [skill(`name: a\ndescription: b\nx: ${"y".repeat(70_000)}`)],
    {
      name: "pacing",
      warnings: ["front_matter_unreadable", "name_missing", "description_missing"],
    },
    "pacing",
  );
  reads(
    "front matter that is a text",
    [skill("just words")],
    {
      name: "b",
      warnings: ["front_matter_unreadable", "name_missing", "description_missing"],
    },
    "b",
  );
  reads("tags", [skill("name: !!js/function a\ndescription: b")], { name: "a", warnings: ["yaml_tags_ignored"] });
  reads(
    "links to files that are not there",
    [skill("name: a\ndescription: b", "[x](references/x.md) `[y](y.md)`\n```\n[z](z.md)\n```\n[up](../other/a.md)")],
    { warnings: ["references_missing"] },
  );
  reads("scripts", [plain, file("scripts/a.js")], { warnings: ["scripts_not_run"] });
  reads("a SKILL.md in other letters", [file("skill.md", "---\nname: a\ndescription: b\n---\n")], {
    warnings: ["skill_file_renamed"],
  });
  reads("what a desktop leaves", [plain, file(".DS_Store"), file("a/Thumbs.db")], {
    warnings: ["desktop_files_left_out"],
  });
});

describe("a package is refused", () => {
  refuses("without SKILL.md", [file("README.md")], "skill.skill_file_missing");
  refuses("with a SKILL.md only further down", [file("a/SKILL.md")], "skill.skill_file_missing");
  refuses("without front matter and folder", [file("SKILL.md", "# Pacing")], "skill.front_matter_invalid");
  refuses("with front matter that says nothing", [skill("{}", "")], "skill.front_matter_invalid", "pacing");
  refuses("with a SKILL.md that is no text", [file("SKILL.md", new Uint8Array([0xff]))], "skill.front_matter_invalid");
  refuses("with NUL in its SKILL.md", [skill("name: a\ndescription: b", "\0")], "skill.front_matter_invalid");
  refuses("with a name that is none and no folder", [skill("name: 写作\ndescription: b")], "skill.name_invalid");
  refuses("in a folder of such a name", [file("SKILL.md", "# a")], "skill.name_invalid", "写作");

  const outside = [
    "../a",
    "a/../b",
    "a/..",
    "/a",
    "\\a",
    "a\\b",
    "C:/a",
    "C:a",
    "a\0b",
    "a//b",
    "a/./b",
    "",
    ".",
    "a/",
  ];
  const guarded = [".git/config", "a/.ssh/id", ".env", ".ENV", "a/.Git/b", ".git ", "\u200b.git"];
  const unequal = ["con", "a:b", "a.", "．．/a"];
  const paths = [...outside, ...guarded, ...unequal];
  for (const path of paths) {
    refuses(`with a file at ${JSON.stringify(path)}`, [plain, file(path)], "skill.path_unsafe");
  }
  refuses("with one path twice", [plain, file("a"), file("a")], "skill.path_unsafe");
  refuses("with two paths that differ in case", [plain, file("Read.md"), file("read.MD")], "skill.path_unsafe");
  refuses("with two paths that one disk takes for one", [plain, file("straße"), file("STRASSE")], "skill.path_unsafe");
  refuses("with one letter composed in two ways", [plain, file("é"), file("e\u0301")], "skill.path_unsafe");
  refuses("with a file that is a folder too", [plain, file("a"), file("A/b")], "skill.path_unsafe");
  refuses("with two spellings of SKILL.md", [plain, file("Skill.md")], "skill.path_unsafe");

  const files = (count: number, content: Uint8Array) =>
    Array.from({ length: count }, (_, index) => file(`f${index}`, content));
  refuses("with 1001 files", [plain, ...files(Limits.maxFiles, new Uint8Array())], "skill.too_large");
  refuses("with a file above 16 MiB", [plain, file("a", new Uint8Array(Limits.maxFileBytes + 1))], "skill.too_large");
  refuses("with more than 256 MiB", [plain, ...files(16, new Uint8Array(Limits.maxFileBytes))], "skill.too_large");
  refuses("with a SKILL.md above 1 MiB", [file("SKILL.md", new Uint8Array(2 ** 20 + 1))], "skill.too_large");
  reads("but not with a thousand files", [plain, ...files(999, new Uint8Array())], { warnings: [] });

  const sidecars = {
    "a field that it does not have": '{"version":1,"unexpected":true}',
    "another version": '{"version":2}',
    "no version": "{}",
    "a field of another kind": '{"version":1,"tags":"a"}',
    "a field too many further in": '{"version":1,"recommendedContext":{"x":1}}',
    "a prototype": '{"version":1,"__proto__":{}}',
    "no JSON": "{",
  };
  for (const [what, text] of Object.entries(sidecars)) {
    refuses(`with a sidecar that has ${what}`, [plain, file("agents/tauritavern.json", text)], "skill.sidecar_invalid");
  }
  refuses(
    "with a sidecar that is no text",
    [plain, file("agents/tauritavern.json", new Uint8Array([0xff]))],
    "skill.sidecar_invalid",
  );
  refuses(
    "with a sidecar without end",
    [plain, file("agents/tauritavern.json", " ".repeat(Limits.maxSidecarBytes + 1))],
    "skill.sidecar_invalid",
  );
});
