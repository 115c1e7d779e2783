/**
 * `npm run generate`: writes every generated file that is not what it should be. With `--check` it writes nothing, names
 * the stale ones and ends with code 1.
 */
import fs from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { at, packageFolders, writeWhole } from "../bootstrap/repository.mjs";
import { barrelOf } from "./barrels.mjs";
import { referencePages } from "./pages.mjs";
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
const stale = (files) =>
  files.filter(({ path, text, isCurrent = (old) => old === text }) => {
    const old = textOf(path);
    return old === undefined || !isCurrent(old);
  });
const settle = ({ path, text }) => {
  if (check) process.stderr.write(`${path} is not what the source says. Run "npm run generate".\n`);
  else writeWhole(at(path), text);
};

const modules = stale([...barrels.filter((barrel) => barrel.problems.length === 0), ...configurations]);
for (const file of modules) settle(file);
// The pages come last: they are made by running the code, which may need what was just written.
const pages = referencePages();
const outdated = stale(pages.files);
for (const file of outdated) settle(file);

const problems = [...barrels.flatMap((barrel) => barrel.problems), ...pages.problems];
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exit(problems.length > 0 || (check && modules.length + outdated.length > 0) ? 1 : 0);
