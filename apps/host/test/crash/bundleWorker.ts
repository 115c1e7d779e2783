/**
 * The worker of the sweep in one file.
 */
import { bundleProgram } from "../support/bundleProgram.ts";

/** Bundles the worker into `folder` and gives its path. */
export const bundleWorker = (folder: string): Promise<string> => bundleProgram(folder, "sweepWorker.ts");
