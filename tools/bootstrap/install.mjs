/**
 * Installs the workspace's dependencies when they are not what the lockfile says.
 *
 * Owns the stamp that lets the next start skip this in milliseconds. Everything it prints goes to stderr.
 */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { withLock } from "./lock.mjs";
import { at, digestOf, manifestOf, packageFolders, root, writeWhole } from "./repository.mjs";

const stampFile = at("node_modules", ".cahier-install");

/** Resolves with the digest of what is installed; ends the process with code 1 when the package manager fails. */
export const ensureInstalled = async () => {
  const wanted = digestOf([
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "package.json",
    ...packageFolders().map((folder) => `${folder}/package.json`),
  ]);
  if (isInstalled(wanted)) return wanted;
  const done = await withLock(async () => isInstalled(wanted) || install(wanted));
  return done ? wanted : process.exit(1);
};

const isInstalled = (wanted) => fs.existsSync(stampFile) && fs.readFileSync(stampFile, "utf8") === wanted;

const install = (wanted) => {
  const manager = manifestOf(".").packageManager;
  process.stderr.write(`Installing the dependencies of this clone with ${manager}.\n`);
  const { command, leading, shell } = npx();
  const result = spawnSync(command, [...leading, "-y", manager, "install", "--frozen-lockfile"], {
    cwd: root,
    env: installEnvironment(),
    shell,
    stdio: ["ignore", 2, 2],
  });
  if (result.status !== 0) {
    process.stderr.write(
      `The installation failed (${result.error?.message ?? `exit ${result.status ?? result.signal}`}). ` +
        `If a package.json was changed, run "npx -y ${manager} install" first.\n`,
    );
    return false;
  }
  writeWhole(stampFile, wanted);
  return true;
};

/** npm names its own program in the environment; the npx beside it needs no shell, on Windows neither. */
const npx = () => {
  const npm = process.env.npm_execpath ?? "";
  const beside = path.join(path.dirname(npm), "npx-cli.js");
  if (path.basename(npm) === "npm-cli.js" && fs.existsSync(beside)) {
    return { command: process.execPath, leading: [beside], shell: false };
  }
  return { command: "npx", leading: [], shell: process.platform === "win32" };
};

/** The outer npm's own state would silence or misdirect the inner one; what the user configured stays. */
const installEnvironment = () => {
  const outer = /^npm_(?:package_|lifecycle_|command$|config_(?:loglevel|local_prefix|prefix|global_prefix)$)/u;
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !outer.test(name))), CI: "true" };
};
