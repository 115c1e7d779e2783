/**
 * What differs between the files of two states of a run.
 */
import * as PathMap from "./PathMap.ts";
import type { FileState, RunState } from "./RunState.ts";

export type FileChangeStatus = "added" | "modified" | "deleted";

/** One file that is not the same in both states. `before` is null of an added file, `after` of a deleted one. */
export type FileChange =
  | { readonly path: string; readonly status: "added"; readonly before: null; readonly after: FileState }
  | { readonly path: string; readonly status: "modified"; readonly before: FileState; readonly after: FileState }
  | { readonly path: string; readonly status: "deleted"; readonly before: FileState; readonly after: null };

/** Every file that differs in content, in the order of their paths. A file that was written as it was does not differ. */
export const compareFiles = (before: RunState["files"], after: RunState["files"]): ReadonlyArray<FileChange> => {
  if (before === after) return [];
  const paths = new Set([...PathMap.paths(before), ...PathMap.paths(after)]);
  return [...paths]
    .toSorted()
    .flatMap((path) => changeOf(path, PathMap.get(before, path) ?? null, PathMap.get(after, path) ?? null));
};

const changeOf = (path: string, before: FileState | null, after: FileState | null): ReadonlyArray<FileChange> => {
  if (before === null) return after === null ? [] : [{ path, status: "added", before, after }];
  if (after === null) return [{ path, status: "deleted", before, after }];
  return before.sha256 === after.sha256 ? [] : [{ path, status: "modified", before, after }];
};
