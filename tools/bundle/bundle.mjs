/**
 * Makes the host's executable, `apps/host/dist/cahier.mjs`, with the chunks that it loads when it needs them.
 *
 * Owns the stamp that lets an unchanged bundle be used again. The processes of the shell run a file of their own, which is one
 * of the chunks. Chunks carry their digest in their names and the entry
 * is replaced last, so a program that starts meanwhile runs the old bundle or the new one, never a mixture; the chunks
 * of the bundle before are kept for it.
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { withLock } from "../bootstrap/lock.mjs";
import { at, digestOf, filesBelow, packageFolders, root, writeWhole } from "../bootstrap/repository.mjs";

const output = "apps/host/dist";
const entry = at(output, "cahier.mjs");
const stampFile = at(output, "cahier.stamp.json");

const shellSandbox = "packages/shell-sandbox";

/** What the shell's processes run; native code and files beside code cannot be bundled. */
const interpreters = ["just-bash", "@pydantic/monty", "quickjs-wasi"];

/** Bundles when an input differs from the last time, and resolves with the path of the executable; ends the process with code 1 on a build error. */
export const ensureBundled = async (installed) => {
  const wanted = digestOf([
    ...packageFolders()
      .filter((folder) => folder.startsWith("packages/") || folder === "apps/host")
      .flatMap((folder) => filesBelow(`${folder}/src`)),
    "tsconfig.base.json",
    "tools/bundle/bundle.mjs",
  ]).concat(`-${installed}`);
  if (isBundled(wanted)) return entry;
  const done = await withLock(async () => isBundled(wanted) || (await bundle(wanted)));
  return done ? entry : process.exit(1);
};

const readStamp = () => (fs.existsSync(stampFile) ? JSON.parse(fs.readFileSync(stampFile, "utf8")) : undefined);

const isBundled = (wanted) => fs.existsSync(entry) && readStamp()?.inputs === wanted;

const bundle = async (wanted) => {
  // The bundler is a dependency of the host, which lies elsewhere than this file.
  const esbuild = createRequire(at("apps/host/package.json"))("esbuild");
  // The bundler has printed what is wrong and where.
  const build = (more) =>
    esbuild.build({ ...options, ...more }).then(
      ({ outputFiles }) => outputFiles,
      () => undefined,
    );
  const shell = await build({
    entryPoints: { "shell-process": `${shellSandbox}/src/internal/child/main.ts` },
    entryNames: "chunks/[name]-[hash]",
    external: interpreters,
  });
  if (shell === undefined) return false;
  const [shellProcess] = shell;
  const files = await build({
    entryPoints: { cahier: "apps/host/src/main.ts" },
    // The keyring's library is native and optional: it is loaded from where it is installed, or not at all.
    external: ["redis", "@napi-rs/keyring"],
    define: { bundledShellProcess: JSON.stringify(path.basename(shellProcess.path)) },
  });
  if (files === undefined) return false;
  const [main, others] = split(files);
  const chunks = [...others, shellProcess];
  linkInterpreters();
  const previous = readStamp()?.chunks ?? [];
  for (const chunk of chunks) writeWhole(chunk.path, chunk.contents);
  writeWhole(entry, withShebang(main.text), { mode: 0o755 });
  const current = chunks.map((chunk) => path.basename(chunk.path));
  writeWhole(stampFile, JSON.stringify({ inputs: wanted, chunks: current }));
  const kept = new Set([...current, ...previous]);
  for (const file of filesBelow(`${output}/chunks`)) {
    if (!kept.has(path.basename(file))) fs.rmSync(at(file), { force: true });
  }
  return true;
};

/** The same for everything that is bundled. */
const options = {
  absWorkingDir: root,
  outdir: output,
  outExtension: { ".js": ".mjs" },
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  conditions: ["@cahier/source"],
  banner: {
    js: 'import { createRequire as createRequireOfBundle } from "node:module";\nconst require = createRequireOfBundle(import.meta.url);',
  },
  legalComments: "none",
  logLevel: "warning",
  write: false,
};

/** Brings the interpreters to where a process finds them that runs the bundle's file of the shell. */
const linkInterpreters = () => {
  for (const name of interpreters) {
    const link = at(output, "node_modules", name);
    const target = fs.realpathSync(at(shellSandbox, "node_modules", name));
    if (fs.existsSync(link) && fs.realpathSync(link) === target) continue;
    fs.mkdirSync(path.dirname(link), { recursive: true });
    fs.rmSync(link, { force: true });
    fs.symlinkSync(process.platform === "win32" ? target : path.relative(path.dirname(link), target), link, "junction");
  }
};

const split = (files) => {
  const main = files.find((file) => file.path === entry);
  return [main, files.filter((file) => file !== main)];
};

const withShebang = (text) => (text.startsWith("#!") ? text : `#!/usr/bin/env node\n${text}`);
