import { randomBytes } from "node:crypto";
import { filesOf, packageHash, type PackageFile } from "@cahier/domain/skill/Skill";
import * as Digest from "@cahier/domain/payload/Sha256";
import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import * as Limits from "../src/Limits.ts";
import * as SkillArchive from "../src/SkillArchive.ts";
import type { SkillFaultCode } from "../src/SkillFault.ts";
import * as SkillReader from "../src/SkillReader.ts";
import { codesOf, file, plain } from "./support/files.ts";
import { type HandMadeEntry, zipBytes } from "./support/zipBytes.ts";

const text = "---\nname: pacing\ndescription: d\n---\n";
const skillEntry: HandMadeEntry = { path: "pacing/SKILL.md", content: text };

const refuses = (title: string, entries: ReadonlyArray<HandMadeEntry>, code: SkillFaultCode) =>
  it.effect(title, () =>
    Effect.gen(function* () {
      const fault = yield* Effect.flip(SkillArchive.read(zipBytes(entries)));
      assert.strictEqual(fault.code, code);
      assert.match(fault.detail, /\. \S/);
    }),
  );

const hashOf = (files: ReadonlyArray<PackageFile>) => packageHash(filesOf(files));

describe("an archive that is written", () => {
  it.effect("holds the package in a folder of its name, in bytes that depend on nothing else", () =>
    Effect.gen(function* () {
      const read = yield* SkillReader.read([plain, file("references/写作.md", "a".repeat(5000)), file("empty", "")]);
      const bytes = yield* SkillArchive.write(read);
      assert.deepStrictEqual(yield* SkillArchive.write({ ...read, files: read.files.toReversed() }), bytes);
      assert.strictEqual(Digest.ofBytes(bytes), "31cf8efe17ea06064775b732bb5c1995ce2b551acab311367eecf8ae8fa4653b");
      const again = yield* SkillArchive.read(bytes);
      assert.deepStrictEqual(again, read);
    }),
  );

  it.effect("is read again also when its files compress better than is believed of strangers", () =>
    Effect.gen(function* () {
      const read = yield* SkillReader.read([
        plain,
        file("zeros", new Uint8Array(3_000_000)),
        file("more", "a".repeat(60_000)),
      ]);
      const again = yield* SkillArchive.read(yield* SkillArchive.write(read));
      assert.strictEqual(hashOf(again.files), hashOf(read.files));
    }),
  );

  const letters = Schema.Literals(["a", "b", "写", "é", "x y", "-", "."]);
  const content = Schema.Literals(["", "a", "\0", "\r\n", "text text ", "😀"]);
  const parts = Schema.Array(Schema.Tuple([Schema.Array(letters), Schema.Array(content)]));
  it.effect.prop(
    "is read again with the same hash, whatever files the package has",
    [Arbitrary.schema(parts)],
    ([pairs]) =>
      Effect.gen(function* () {
        const files = pairs.map(([name, pieces], index) =>
          file(`d${index % 3}/${name.join("")}${index}`, pieces.join("")),
        );
        const read = yield* SkillReader.read([plain, ...files]);
        const bytes = yield* SkillArchive.write(read);
        const again = yield* SkillArchive.read(bytes);
        assert.strictEqual(hashOf(again.files), hashOf(read.files));
        assert.strictEqual(hashOf(read.files), hashOf([plain, ...files]));
        assert.deepStrictEqual(yield* SkillArchive.write(again), bytes);
      }),
    { arbitrary: { runs: 60 } },
  );
});

describe("an archive of others", () => {
  it.effect("has the package at its root or in its one folder, beside what a desktop leaves", () =>
    Effect.gen(function* () {
      const rooted = yield* SkillArchive.read(zipBytes([{ path: "SKILL.md", content: text }, { path: "other/a" }]));
      assert.deepStrictEqual(codesOf(rooted.warnings), []);
      const inside = yield* SkillArchive.read(
        zipBytes([
          { path: "other/", mode: 0o040755 },
          { path: "other/SKILL.md", content: text, method: 0 },
          { path: "other/inner.zip", content: zipBytes([{ path: "../../evil" }]) },
          { path: "__MACOSX/other/._SKILL.md" },
        ]),
      );
      assert.deepStrictEqual(
        inside.files.map(({ path }) => path),
        ["SKILL.md", "inner.zip"],
      );
      assert.deepStrictEqual(codesOf(inside.warnings), ["name_unlike_folder"]);
    }),
  );

  it.effect("is refused when it is no zip file, a part of one, or too large to be a package's", () =>
    Effect.gen(function* () {
      const whole = zipBytes([skillEntry]);
      for (const bytes of [new Uint8Array(), randomBytes(500), whole.subarray(0, -30), whole.subarray(40)]) {
        assert.strictEqual((yield* Effect.flip(SkillArchive.read(bytes))).code, "skill.archive_invalid");
      }
      const large = yield* Effect.flip(SkillArchive.read(new Uint8Array(Limits.maxArchiveBytes + 1)));
      assert.strictEqual(large.code, "skill.too_large");
    }),
  );

  refuses("is refused without entries", [], "skill.skill_file_missing");
  refuses("is refused with two folders at its top", [skillEntry, { path: "b/a" }], "skill.skill_file_missing");
  refuses(
    "is refused with its SKILL.md too deep",
    [{ path: "a/b/SKILL.md", content: text }],
    "skill.skill_file_missing",
  );
});

describe("an archive that is meant to do harm is refused", () => {
  for (const path of [
    "../evil",
    "pacing/../../evil",
    "/etc/evil",
    "C:\\evil",
    "pacing\\..\\evil",
    "pacing/.ssh/id",
    "../",
  ]) {
    refuses(`with an entry ${JSON.stringify(path)}`, [skillEntry, { path, content: "x" }], "skill.path_unsafe");
  }
  refuses("with a name twice", [skillEntry, { ...skillEntry }], "skill.path_unsafe");
  refuses("with a name in two cases", [skillEntry, { path: "pacing/Skill.MD", content: text }], "skill.path_unsafe");
  refuses(
    "with a symbolic link",
    [skillEntry, { path: "pacing/link", content: "/etc/passwd", mode: 0o120777 }],
    "skill.symlink_refused",
  );
  refuses("with a device", [skillEntry, { path: "pacing/d", mode: 0o020666 }], "skill.archive_invalid");
  refuses(
    "with an encrypted entry",
    [skillEntry, { path: "pacing/e", content: "x", flags: 1 }],
    "skill.archive_invalid",
  );
  refuses(
    "with an unusual compression",
    [skillEntry, { path: "pacing/e", content: "x", method: 93 }],
    "skill.archive_invalid",
  );

  const zeros = new Uint8Array(2_000_000);
  refuses("with a bomb", [skillEntry, { path: "pacing/zeros", content: zeros }], "skill.too_large");
  const small = new Uint8Array(60_000);
  refuses(
    "with a bomb in small parts",
    [skillEntry, ...Array.from({ length: 50 }, (_, index) => ({ path: `pacing/${index}`, content: small }))],
    "skill.too_large",
  );
  refuses(
    "with a bomb that says it is small",
    [skillEntry, { path: "pacing/z", content: zeros, size: 1000 }],
    "skill.archive_invalid",
  );
  refuses(
    "with an entry that says it is larger than it is",
    [skillEntry, { path: "pacing/z", content: "abc", size: 100 }],
    "skill.archive_invalid",
  );
  refuses(
    "with a stored entry that reaches beyond the archive",
    [skillEntry, { path: "pacing/z", content: "abc", method: 0, size: 90_000, compressedSize: 90_000 }],
    "skill.archive_invalid",
  );
  refuses("with a wrong checksum", [{ ...skillEntry, crc: 1 }], "skill.archive_invalid");
  refuses(
    "with two entries over the same bytes",
    [skillEntry, { ...skillEntry, path: "pacing/copy", offset: 0, local: { path: "pacing/SKILL.md" } }],
    "skill.archive_invalid",
  );
  refuses(
    "with another name at the entry than in the directory",
    [skillEntry, { path: "pacing/a", content: "x", local: { path: "pacing/b" } }],
    "skill.archive_invalid",
  );
  refuses(
    "with another size at the entry than in the directory",
    [skillEntry, { path: "pacing/a", content: "x", local: { size: 9 } }],
    "skill.archive_invalid",
  );
  refuses(
    "with data that cannot be inflated",
    [skillEntry, { path: "pacing/a", content: "x", method: 8, compressedSize: 1 }],
    "skill.archive_invalid",
  );

  const many = (count: number, slash: string) =>
    Array.from({ length: count }, (_, index) => ({ path: `pacing/${index}${slash}`, method: 0 }));
  refuses("with more files than a package may have", [skillEntry, ...many(Limits.maxFiles, "")], "skill.too_large");
  refuses("with more folders than anybody needs", [skillEntry, ...many(Limits.maxEntries, "/")], "skill.too_large");
  refuses(
    "with a file above 16 MiB",
    [skillEntry, { path: "pacing/l", size: Limits.maxFileBytes + 1, compressedSize: 1_000_000 }],
    "skill.too_large",
  );
  refuses(
    "with a SKILL.md above 1 MiB",
    [{ ...skillEntry, size: Limits.maxSkillFileBytes + 1, compressedSize: 100_000 }],
    "skill.too_large",
  );
  refuses(
    "with more than 256 MiB",
    [
      skillEntry,
      ...many(17, "").map((entry) => ({ ...entry, size: Limits.maxFileBytes, compressedSize: Limits.maxFileBytes })),
    ],
    "skill.too_large",
  );
});
