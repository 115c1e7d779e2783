import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as SkillExport from "../src/SkillExport.ts";
import * as SkillReader from "../src/SkillReader.ts";
import { codesOf, file, plain, skill } from "./support/files.ts";

const complaints = (...files: Parameters<typeof SkillReader.read>[0]) =>
  Effect.map(SkillReader.read(files, { folderName: "pacing" }), (read) => codesOf(SkillExport.check(read)));

describe("the published format", () => {
  it.effect("has nothing to say of a package that keeps it, whatever its files are", () =>
    Effect.gen(function* () {
      assert.isEmpty(yield* complaints(plain, file("scripts/a.js"), file("b")));
    }),
  );

  it.effect("is broken by a name that only this program takes", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* complaints(skill("name: a_b\ndescription: c")), ["name_unpublishable"]);
      assert.deepStrictEqual(yield* complaints(skill("name: A B\ndescription: c")), ["name_changed"]);
    }),
  );

  it.effect("is broken by values that import takes as they are", () =>
    Effect.gen(function* () {
      const odd = skill("name: a\ndescription: b\nallowed-tools: [Read]\nmetadata: {version: 1, a: text}");
      const read = yield* SkillReader.read([odd]);
      assert.isEmpty(read.warnings);
      assert.deepStrictEqual(read.manifest.allowedTools, ["Read"]);
      assert.deepStrictEqual(codesOf(SkillExport.check(read)), ["metadata_not_text", "allowed_tools_listed"]);
    }),
  );

  it.effect("is broken by a package that has no SKILL.md any more", () =>
    Effect.gen(function* () {
      const { manifest } = yield* SkillReader.read([plain]);
      assert.deepStrictEqual(codesOf(SkillExport.check({ manifest, files: [] })), ["front_matter_missing"]);
    }),
  );
});
