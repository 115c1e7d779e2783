/**
 * A folder for temporary files that is one test's alone, so that it sees everything that is left there and nothing else.
 */
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as fs from "node:fs";
import * as os from "node:os";

/** What this process makes in its folder for temporary files stands in this one until the scope ends. */
export const own: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const before = process.env["TMPDIR"];
    const folder = fs.realpathSync(fs.mkdtempSync(`${os.tmpdir()}/cahier-test-`));
    process.env["TMPDIR"] = folder;
    return { before, folder };
  }),
  ({ before, folder }) =>
    Effect.sync(() => {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
      fs.rmSync(folder, { recursive: true, force: true });
    }),
).pipe(Effect.map(({ folder }) => folder));

/** The folders of the children that live, and the files in them. */
export const children = (folder: string): ReadonlyArray<readonly [name: string, files: ReadonlyArray<string>]> =>
  fs.readdirSync(folder).map((name) => [name, fs.readdirSync(`${folder}/${name}`)] as const);
