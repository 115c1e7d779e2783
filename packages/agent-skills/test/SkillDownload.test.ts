import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as SkillDownload from "../src/SkillDownload.ts";
import { file, plain } from "./support/files.ts";

const url = "https://example.org/skills/pacing/SKILL.md?token=secret#top";
const refused = (text: string) => Effect.flip(SkillDownload.accept(file("SKILL.md", text).bytes, url));

describe("a downloaded SKILL.md", () => {
  it.effect("is a package of one file with the name that it gives", () =>
    Effect.gen(function* () {
      const { files, manifest, warnings } = yield* SkillDownload.accept(plain.bytes, url);
      assert.strictEqual(manifest.name, "pacing");
      assert.deepStrictEqual(files, [plain]);
      assert.isEmpty(warnings);
    }),
  );

  it.effect("is refused without a name, and when it is too large", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* refused("# Pacing")).code, "skill.front_matter_invalid");
      assert.strictEqual((yield* refused(" ".repeat(2 ** 20 + 1))).code, "skill.too_large");
    }),
  );

  it.effect("is refused when it is a web page, without telling what its address holds", () =>
    Effect.gen(function* () {
      const fault = yield* refused('<!DOCTYPE html>\n<html lang="en">');
      assert.strictEqual(fault.code, "skill.front_matter_invalid");
      assert.include(fault.detail, "https://example.org/skills/pacing/SKILL.md");
      assert.notInclude(fault.detail, "secret");
    }),
  );
});
