/**
 * What a user of a published package can import, and the versions that the workspace is built with.
 */
import fs from "node:fs";
import path from "node:path";
import { at } from "../bootstrap/repository.mjs";

/** The specifiers of a package's public modules, from the files of its source; `internal` folders are closed. */
export const entriesOf = (name, files, folder) =>
  files
    .filter((file) => file.endsWith(".ts") && !file.includes("/internal/"))
    .map((file) => path.posix.relative(`${folder}/src`, file).replace(/\.ts$/u, ""))
    .map((module) => (module === "index" ? name : `${name}/${module}`));

/** The exact version of a dependency in the workspace's catalog. */
export const versionOf = (name) => {
  const line = fs
    .readFileSync(at("pnpm-workspace.yaml"), "utf8")
    .split("\n")
    .map((text) => /^ {2}"?([^":]+)"?: (\S+)$/u.exec(text))
    .find((match) => match?.[1] === name);
  if (line === undefined) throw new Error(`${name} is not in the catalog of pnpm-workspace.yaml`);
  return line[2];
};
