/**
 * Makes the host's executable, `apps/host/dist/cahier.mjs`, with the chunks that it loads when it needs them.
 *
 * Owns the stamp that lets an unchanged bundle be used again. Chunks carry their digest in their names and the entry
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
  const result = await esbuild
    .build({
      absWorkingDir: root,
      entryPoints: { cahier: "apps/host/src/main.ts" },
      outdir: output,
      outExtension: { ".js": ".mjs" },
      chunkNames: "chunks/[name]-[hash]",
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      target: "node24",
      conditions: ["@cahier/source"],
      // The keyring's library is native and optional: it is loaded from where it is installed, or not at all.
      external: ["redis", "@napi-rs/keyring"],
      banner: {
        js: 'import { createRequire as createRequireOfBundle } from "node:module";\nconst require = createRequireOfBundle(import.meta.url);',
      },
      legalComments: "none",
      logLevel: "warning",
      write: false,
    })
    // The bundler has printed what is wrong and where.
    .catch(() => undefined);
  if (result === undefined) return false;
  const [main, chunks] = split(result.outputFiles);
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

const split = (files) => {
  const main = files.find((file) => file.path === entry);
  return [main, files.filter((file) => file !== main)];
};

const withShebang = (text) => (text.startsWith("#!") ? text : `#!/usr/bin/env node\n${text}`);
