/**
 * The Node that the product runs on, where the tests may run on an older one.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** The repository's folder. */
export const repository = resolve(import.meta.dirname, "../../../..");

const dependency = join(repository, "node_modules/.bin/node");

/** Path of the executable. */
export const node = existsSync(dependency) ? dependency : process.execPath;
