/**
 * The reference pages of `docs/reference`, as the program of `tools/reference` prints them.
 *
 * A program of its own, because it is TypeScript that imports the packages from their source.
 */
import { spawnSync } from "node:child_process";
import { at, root } from "../bootstrap/repository.mjs";

/** The pages as paths and texts, or why there are none. */
export const referencePages = () => {
  const program = ["--conditions=@cahier/source", "--no-warnings", at("tools/reference/src/main.ts")];
  const { error, status, stderr, stdout } = spawnSync(process.execPath, program, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error === undefined && status === 0) return { files: JSON.parse(stdout), problems: [] };
  return {
    files: [],
    problems: [`docs/reference: the pages cannot be made from the source\n${error?.message ?? stderr}`],
  };
};
