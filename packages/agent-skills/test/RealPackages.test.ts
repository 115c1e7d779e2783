import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { filesOf, packageHash } from "@cahier/domain/skill/Skill";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as SkillArchive from "../src/SkillArchive.ts";
import * as SkillExport from "../src/SkillExport.ts";
import * as SkillReader from "../src/SkillReader.ts";
import { file } from "./support/files.ts";

const root = resolve(import.meta.dirname, "../../..");
const samples = join(process.env["CAHIER_FIXTURES"] ?? resolve(root, "../shared/fixtures"), "skills/skills.jsonl.gz");
const why = existsSync(samples) ? "" : " (skipped: set CAHIER_FIXTURES to the folder of the recorded fixtures)";

interface Sample {
  readonly dir: string;
  readonly files: ReadonlyArray<{ readonly path: string; readonly content: string }>;
}

const readSamples = (): ReadonlyArray<Sample> =>
  gunzipSync(readFileSync(samples))
    .toString("utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Sample);

const count = (codes: ReadonlyArray<string>): Readonly<Record<string, number>> =>
  Object.fromEntries([...new Set(codes)].map((code) => [code, codes.filter((one) => one === code).length]));

describe.skipIf(why !== "")(`packages that others wrote${why}`, () => {
  it.effect("every package with a SKILL.md is read, packed and read again with the same hash and manifest", () =>
    Effect.gen(function* () {
      const warnings: Array<string> = [];
      const complaints: Array<string> = [];
      const clean: Array<string> = [];
      const refused: Array<string> = [];
      for (const { dir, files } of readSamples()) {
        const given = files.map(({ content, path }) => file(path, content));
        const result = yield* Effect.result(SkillReader.read(given, { folderName: basename(dir) }));
        if (Result.isFailure(result)) {
          assert.isEmpty(files);
          refused.push(result.failure.code);
          continue;
        }
        const read = result.success;
        const again = yield* SkillArchive.read(yield* SkillArchive.write(read));
        assert.strictEqual(packageHash(filesOf(again.files)), packageHash(filesOf(given)));
        assert.deepStrictEqual(again.manifest, read.manifest);
        warnings.push(...read.warnings.map(({ code }) => code));
        const published = SkillExport.check(read);
        complaints.push(...published.map(({ code }) => code));
        if (published.length === 0) clean.push(read.manifest.name);
      }
      // Three samples came without files: theirs were too long to be recorded.
      assert.deepStrictEqual(
        refused,
        Array.from({ length: 3 }, () => "skill.skill_file_missing"),
      );
      assert.deepStrictEqual(count(warnings), {
        front_matter_missing: 1,
        front_matter_unreadable: 1,
        name_missing: 3,
        name_changed: 19,
        name_unlike_folder: 24,
        name_too_long: 1,
        name_unpublishable: 3,
        description_missing: 3,
        description_too_long: 1,
        keys_unknown: 25,
        references_missing: 16,
      });
      assert.deepStrictEqual(count(complaints), {
        front_matter_missing: 1,
        front_matter_unreadable: 1,
        name_missing: 3,
        name_changed: 19,
        name_too_long: 1,
        name_unpublishable: 3,
        description_missing: 3,
        description_too_long: 1,
        keys_unknown: 25,
        metadata_not_text: 12,
      });
      assert.lengthOf(clean, 136);
    }),
  );
});
