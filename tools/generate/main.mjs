/**
 * `npm run generate`: writes every generated file that is not what it should be. With `--check` it writes nothing, names
 * the stale ones and ends with code 1.
 */
import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { at, packageFolders, writeWhole } from "../bootstrap/repository.mjs";
import { barrelOf } from "./barrels.mjs";
import { buildConfigurations } from "./references.mjs";

const check = process.argv.includes("--check");
const textOf = (file) => (fs.existsSync(at(file)) ? fs.readFileSync(at(file), "utf8") : undefined);

const barrels = packageFolders()
  .filter((folder) => folder.startsWith("packages/"))
  .map((folder) => barrelOf(folder));
const configurations = buildConfigurations().map(({ path, value }) => ({
  path,
  text: `${JSON.stringify(value, undefined, 2)}\n`,
  // The formatter owns the layout, so values are compared.
  isCurrent: (text) => isDeepStrictEqual(JSON.parse(text), value),
}));
const problems = barrels.flatMap((barrel) => barrel.problems);
const stale = [...barrels.filter((barrel) => barrel.problems.length === 0), ...configurations].filter(
  ({ path, text, isCurrent = (old) => old === text }) => {
    const old = textOf(path);
    return old === undefined || !isCurrent(old);
  },
);

for (const problem of problems) process.stderr.write(`${problem}\n`);
for (const { path, text } of stale) {
  if (check) process.stderr.write(`stale: ${path} (npm run generate)\n`);
  else writeWhole(at(path), text);
}
process.exit(problems.length > 0 || (check && stale.length > 0) ? 1 : 0);
