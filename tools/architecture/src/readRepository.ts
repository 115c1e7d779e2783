/**
 * Reads the files that the rules look at from disk.
 */
import * as fs from "node:fs";
import * as path from "node:path";

const groups = ["packages", "apps", "tools", "examples", "benchmarks"];
const closed = new Set(["node_modules", "dist", ".turbo", "fixtures", "recordings"]);

/** Paths relative to `root` with forward slashes, and texts: manifests and sources of every workspace package. */
export const readRepository = (root: string): ReadonlyMap<string, string> =>
  new Map(
    groups
      .filter((group) => fs.existsSync(path.join(root, group)))
      .flatMap((group) => filesBelow(root, group))
      .filter((file) => /(?:\.(?:ts|tsx|mts|mjs|js)|\/package\.json)$/u.test(file))
      .map((file) => [file, fs.readFileSync(path.join(root, file), "utf8")]),
  );

const filesBelow = (root: string, folder: string): ReadonlyArray<string> =>
  fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (closed.has(entry.name)) return [];
    const file = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(root, file) : [file];
  });
