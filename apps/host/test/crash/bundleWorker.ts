/**
 * The worker of the sweep in one file, so that a process starts fast and nobody replaces it meanwhile.
 */
import { join } from "node:path";
import { build } from "esbuild";
import { repository } from "../support/node.ts";

/** Bundles the worker into `folder` and gives its path. */
export const bundleWorker = async (folder: string): Promise<string> => {
  const outfile = join(folder, "sweepWorker.mjs");
  await build({
    absWorkingDir: repository,
    entryPoints: ["apps/host/test/programs/sweepWorker.ts"],
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
