/**
 * `npm run pack:check`: builds and packs every published package as a release would, checks the tarballs, installs all of
 * them in an empty project, type-checks a file there that imports every module, and runs it.
 *
 * Needs pnpm on the path (`pnpm exec`), since only pnpm writes a workspace package's published manifest.
 */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { nodeExecutable } from "../bootstrap/node.mjs";
import { at, filesBelow, manifestOf, packageFolders, root } from "../bootstrap/repository.mjs";
import { entriesOf, versionOf } from "./entries.mjs";

const folders = packageFolders().filter((folder) => folder.startsWith("packages/") && !manifestOf(folder).private);
const workshop = fs.mkdtempSync(path.join(os.tmpdir(), "cahier-pack-"));
const consumer = path.join(workshop, "consumer");

const run = (command, args, cwd) => {
  const result = spawnSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  if (result.status === 0) return result.stdout;
  const outcome = result.error?.message ?? `ended with ${result.status ?? result.signal}`;
  process.stderr.write(`${path.basename(command)} ${args.join(" ")}: ${outcome}\n${result.stdout}${result.stderr}`);
  return process.exit(1);
};
const tool = (name, args, cwd = root) => run(at("node_modules", ".bin", name), args, cwd);

const removeBuilt = () => {
  for (const name of ["dist", ".tsbuildinfo"]) {
    for (const folder of folders) fs.rmSync(at(folder, name), { recursive: true, force: true });
  }
};

const build = () => {
  removeBuilt();
  tool("tsc", ["-b", "tsconfig.build.json"]);
};

const pack = () => {
  const tarballs = folders.map((folder) => {
    const before = new Set(fs.readdirSync(workshop));
    run("pnpm", ["pack", "--pack-destination", workshop], at(folder));
    return path.join(
      workshop,
      fs.readdirSync(workshop).find((name) => name.endsWith(".tgz") && !before.has(name)),
    );
  });
  for (const tarball of tarballs) {
    tool("publint", ["--strict", tarball]);
    tool("attw", [tarball, "--profile", "esm-only"]);
  }
  return tarballs;
};

/** A project as a stranger has it: the tarballs, and from the registry what they ask their user for. */
const consume = (tarballs) => {
  fs.mkdirSync(consumer);
  const write = (name, value) => fs.writeFileSync(path.join(consumer, name), JSON.stringify(value, undefined, 2));
  write("package.json", {
    private: true,
    type: "module",
    dependencies: {
      ...Object.fromEntries(folders.map((folder, index) => [manifestOf(folder).name, `file:${tarballs[index]}`])),
      ...Object.fromEntries(
        ["effect", "@effect/vitest", "vitest", "typescript", "@types/node"].map((name) => [name, versionOf(name)]),
      ),
    },
  });
  write("tsconfig.json", {
    compilerOptions: { strict: true, module: "NodeNext", target: "ES2024", noEmit: true, types: ["node"] },
    include: ["*.ts"],
  });
  const entries = folders.flatMap((folder) => entriesOf(manifestOf(folder).name, filesBelow(`${folder}/src`), folder));
  const lines = (chosen) =>
    chosen.map((entry, index) => `import * as module${index} from "${entry}";\nvoid module${index};\n`).join("");
  fs.writeFileSync(path.join(consumer, "every.ts"), lines(entries));
  // The entry for a test runner can only be loaded by that runner.
  fs.writeFileSync(path.join(consumer, "run.mjs"), lines(entries.filter((entry) => !entry.endsWith("/vitest"))));
  run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], consumer);
  run(nodeExecutable(), [path.join(consumer, "node_modules", "typescript", "bin", "tsc"), "-p", "."], consumer);
  run(nodeExecutable(), ["run.mjs"], consumer);
  return entries.length;
};

build();
const count = consume(pack());
// What was built is old with the next change, and linters would read it in place of the source.
removeBuilt();
fs.rmSync(workshop, { recursive: true, force: true });
process.stdout.write(
  `${folders.length} packages packed, checked and installed; ${count} modules type-checked and loaded\n`,
);
