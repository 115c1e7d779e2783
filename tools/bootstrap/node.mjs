/**
 * The Node that programs of this repository run on: the one from the lockfile, else a new enough ambient one.
 */
import fs from "node:fs";
import { at } from "./repository.mjs";

const oldest = 24;

/** The path of the executable; ends the process with code 1 and a sentence of what to do when there is none. */
export const nodeExecutable = () => {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const locked = at("node_modules", `node-${process.platform}-${process.arch}`, "bin", name);
  if (fs.existsSync(locked)) return fs.realpathSync(locked);
  if (Number(process.versions.node.split(".")[0]) >= oldest) return process.execPath;
  process.stderr.write(
    `Cahier needs Node ${oldest} or newer. The lockfile brings one for Linux only; here (${process.platform} ` +
      `${process.arch}) install Node ${oldest} and start again; this is Node ${process.versions.node}.\n`,
  );
  return process.exit(1);
};
