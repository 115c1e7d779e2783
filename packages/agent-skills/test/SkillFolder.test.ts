import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Limits from "../src/Limits.ts";
import * as SkillFolder from "../src/SkillFolder.ts";

const text = "---\nname: pacing\ndescription: d\n---\n";

/** A folder `pacing` with a package, in a folder of its own that goes with the test. */
const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const home = mkdtempSync(join(tmpdir(), "cahier-skill-"));
    const path = join(home, "pacing");
    mkdirSync(join(path, "references"), { recursive: true });
    writeFileSync(join(path, "SKILL.md"), text);
    writeFileSync(join(path, "references/a.md"), "a");
    return { home, path };
  }),
  ({ home }) => Effect.sync(() => rmSync(home, { recursive: true })),
);

const codeOf = (path: string) => Effect.map(Effect.flip(SkillFolder.read(path)), ({ code }) => code);

const socketAt = (path: string) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer();
      server.listen(path, () => resume(Effect.succeed(server)));
    }),
    (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void))),
  );

describe("a folder", () => {
  it.effect("is read with everything below it, and is what its name is held to", () =>
    Effect.gen(function* () {
      const { home, path } = yield* folder;
      const { files, manifest, warnings } = yield* SkillFolder.read(`${path}/`);
      assert.strictEqual(manifest.name, "pacing");
      assert.deepStrictEqual(
        files.map(({ bytes, path: at }) => [at, bytes.length]),
        [
          ["SKILL.md", text.length],
          ["references/a.md", 1],
        ],
      );
      assert.isEmpty(warnings);
      assert.strictEqual(yield* codeOf(home), "skill.skill_file_missing");
    }),
  );

  it.effect("that is not there, or is a file, is refused", () =>
    Effect.gen(function* () {
      const { path } = yield* folder;
      assert.strictEqual(yield* codeOf(join(path, "absent")), "skill.skill_file_missing");
      assert.strictEqual(yield* codeOf(join(path, "SKILL.md")), "skill.skill_file_missing");
    }),
  );

  it.effect("is refused when it is a link, with or without a slash, or holds one of any kind", () =>
    Effect.gen(function* () {
      const { home, path } = yield* folder;
      const link = join(home, "link");
      symlinkSync(path, link);
      assert.strictEqual(yield* codeOf(link), "skill.symlink_refused");
      assert.strictEqual(yield* codeOf(`${link}/`), "skill.symlink_refused");
      for (const target of ["/etc/passwd", "SKILL.md", "references", "nowhere"]) {
        const inside = join(path, "references/link");
        symlinkSync(target, inside);
        assert.strictEqual(yield* codeOf(path), "skill.symlink_refused");
        rmSync(inside);
      }
    }),
  );

  it.effect("with a guarded folder is refused before what is in it is read", () =>
    Effect.gen(function* () {
      const { path } = yield* folder;
      mkdirSync(join(path, ".git"));
      assert.strictEqual(yield* codeOf(path), "skill.path_unsafe");
    }),
  );

  it.effect.skipIf(process.platform === "win32")("with what is neither file nor folder is refused", () =>
    Effect.gen(function* () {
      const { path } = yield* folder;
      yield* socketAt(join(path, "socket"));
      assert.strictEqual(yield* codeOf(path), "skill.path_unsafe");
    }),
  );

  it.effect("with a file too large is refused before the file is read", () =>
    Effect.gen(function* () {
      const { path } = yield* folder;
      const large = join(path, "large");
      writeFileSync(large, "");
      truncateSync(large, 2 ** 40);
      assert.strictEqual(yield* codeOf(path), "skill.too_large");
      rmSync(large);
      truncateSync(join(path, "SKILL.md"), Limits.maxSkillFileBytes + 1);
      assert.strictEqual(yield* codeOf(path), "skill.too_large");
    }),
  );

  it.effect("with files too large together is refused", () =>
    Effect.gen(function* () {
      const { path } = yield* folder;
      for (let index = 0; index < 17; index += 1) {
        writeFileSync(join(path, `f${index}`), "");
        truncateSync(join(path, `f${index}`), Limits.maxFileBytes);
      }
      assert.strictEqual(yield* codeOf(path), "skill.too_large");
    }),
  );

  it.effect("with more files than a package may have is refused, however many more", () =>
    Effect.gen(function* () {
      const { path } = yield* folder;
      for (let index = 0; index < Limits.maxFiles; index += 1) writeFileSync(join(path, `f${index}`), "");
      const refused = yield* Effect.flip(SkillFolder.read(path));
      assert.deepStrictEqual([refused.code, refused.detail.includes("1000 files.")], ["skill.too_large", true]);
      for (let index = 0; index < Limits.maxEntries; index += 1) writeFileSync(join(path, `f${index}`), "");
      const before = yield* Effect.flip(SkillFolder.read(path));
      assert.deepStrictEqual([before.code, before.detail.includes("files and folders.")], ["skill.too_large", true]);
    }),
  );
});

describe("a folder of packages", () => {
  it.effect("gives the packages directly below it, and names links without following them", () =>
    Effect.gen(function* () {
      const { home, path } = yield* folder;
      mkdirSync(join(home, "another/deeper"), { recursive: true });
      writeFileSync(join(home, "another/skill.md"), text);
      writeFileSync(join(home, "another/deeper/SKILL.md"), text);
      mkdirSync(join(home, "empty"));
      writeFileSync(join(home, "SKILL.md"), text);
      symlinkSync(path, join(home, "linked"));
      assert.deepStrictEqual(yield* SkillFolder.find(home), {
        packages: [join(home, "another"), path],
        links: [join(home, "linked")],
      });
      const fault = yield* Effect.flip(SkillFolder.find(join(home, "linked")));
      assert.strictEqual(fault.code, "skill.symlink_refused");
    }),
  );
});
