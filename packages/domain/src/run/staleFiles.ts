/**
 * Whether what a call has changed still fits the workspace: the compare of a compare-and-set over many files.
 *
 * Owns the comparison. Does not own what a call that does not fit is answered, nor recording one that does.
 */
import type { Sha256 } from "../payload/Sha256.ts";
import * as PathMap from "./PathMap.ts";
import type { RunState } from "./RunState.ts";

/** What a call saw at a path that it changes; null where it saw nothing. */
export interface SeenFile {
  readonly path: string;
  readonly sha256: Sha256 | null;
}

/**
 * The paths that keep the changes from being made, in order: those at which something else is now than was seen, and files
 * that stand where a written one needs a folder, or below where it stands itself. Empty when all changes can be made.
 * `seen` names every changed path, `written` those of them that are files afterwards.
 */
export const staleFiles = (
  files: RunState["files"],
  seen: ReadonlyArray<SeenFile>,
  written: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const changed = seen
    .filter(({ path, sha256 }) => (PathMap.get(files, path)?.sha256 ?? null) !== sha256)
    .map(({ path }) => path);
  const after = new Set(written);
  const replaced = new Set(seen.map(({ path }) => path));
  const others = PathMap.paths(files).filter((path) => !replaced.has(path));
  const there = new Set(others);
  const above = written.flatMap((path) => foldersOf(path).filter((folder) => there.has(folder)));
  const below = others.filter((path) => foldersOf(path).some((folder) => after.has(folder)));
  return [...new Set([...changed, ...above, ...below])].toSorted();
};

const foldersOf = (path: string): ReadonlyArray<string> => {
  const segments = path.split("/");
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("/"));
};
