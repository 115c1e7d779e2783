/**
 * A Node and a bundle of one's own, so that a suite which takes long is not disturbed by who makes the bundle anew.
 */
import { copyFileSync, cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundle, ensureBundle } from "../support/Cahier.ts";

/** Puts both into `folder` and gives the words that start the program. */
export const ownProgram = async (folder: string): Promise<readonly [node: string, bundle: string]> => {
  await ensureBundle();
  cpSync(dirname(bundle), join(folder, "dist"), { recursive: true });
  copyFileSync(process.execPath, join(folder, "node"));
  return [join(folder, "node"), join(folder, "dist", "cahier.mjs")];
};
