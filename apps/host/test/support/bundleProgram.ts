/**
 * A program of the tests in one file, so that a process of it starts fast and nobody replaces it meanwhile.
 */
import { basename, join } from "node:path";
import { build } from "esbuild";
import { repository } from "./node.ts";

/** Bundles `entry`, a path from `test/programs`, into `folder` and gives the path of the file. */
export const bundleProgram = async (folder: string, entry: string): Promise<string> => {
  const outfile = join(folder, `${basename(entry, ".ts")}.mjs`);
  await build({
    absWorkingDir: repository,
    entryPoints: [join("apps/host/test/programs", entry)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    conditions: ["@cahier/source"],
    external: ["redis", "@napi-rs/keyring"],
    banner: {
      js: 'import { createRequire as createRequireOfBundle } from "node:module";\nconst require = createRequireOfBundle(import.meta.url);',
    },
    logLevel: "warning",
  });
  return outfile;
};
