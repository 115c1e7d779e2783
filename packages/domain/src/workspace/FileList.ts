/**
 * A listing of a workspace's tree, as the `workspace.list_files` tool shows it.
 *
 * Owns depth, order and truncation. Does not own which files are visible: callers pass what may be shown.
 */
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import { quote, refuse, type Refusal } from "./Refusal.ts";
import { isInside, isStrictlyInside, type WorkspacePath } from "./WorkspacePath.ts";

/** Levels that are listed unless the caller says otherwise. */
export const defaultDepth = 2;

/** Most levels. */
export const maxDepth = 4;

/** Most entries of a listing. */
export const maxEntries = 200;

export interface FileEntry {
  readonly path: string;
  readonly kind: "directory" | "file";
}

/** `truncated`: there are more entries within the depth than are listed. */
export interface FileListing {
  readonly entries: ReadonlyArray<FileEntry>;
  readonly truncated: boolean;
}

/** `files` are the paths of files; `folders` those of folders that exist even when empty, such as the visible roots. */
export interface FileTree {
  readonly files: Iterable<WorkspacePath>;
  readonly folders: Iterable<string>;
}

export interface ListRequest {
  /** The folder to list; `none` for the whole workspace. A file lists as itself. */
  readonly folder: Option.Option<WorkspacePath>;
  readonly depth?: number;
}

export type ListRefusal = Refusal<"workspace.list_depth_too_large" | "workspace.path_not_found">;

/**
 * The entries below a folder, level by level (so that a truncated listing still shows every upper level), in a level
 * directories first, then by path. Equal trees give equal listings, whatever the order of their paths.
 */
export const list = (tree: FileTree, request: ListRequest): Result.Result<FileListing, ListRefusal> => {
  const depth = Math.max(request.depth ?? defaultDepth, 1);
  if (!(depth <= maxDepth)) {
    return refuse(
      "workspace.list_depth_too_large",
      `depth is at most ${maxDepth}. List a folder inside to see deeper levels.`,
    );
  }
  const base = Option.getOrUndefined(request.folder);
  const found = collect(tree, base, depth);
  if (base !== undefined && !found.exists) {
    return refuse(
      "workspace.path_not_found",
      `There is no file or folder ${quote(base)}. List the folder above it to see what exists.`,
    );
  }
  const sorted = [...found.entries.values()].toSorted(byLevel);
  return Result.succeed({
    entries: sorted.slice(0, maxEntries).map(({ path, kind }) => ({ path, kind })),
    truncated: sorted.length > maxEntries,
  });
};

interface LevelEntry extends FileEntry {
  readonly level: number;
}

const collect = (
  tree: FileTree,
  base: WorkspacePath | undefined,
  depth: number,
): { readonly entries: ReadonlyMap<string, LevelEntry>; readonly exists: boolean } => {
  const entries = new Map<string, LevelEntry>();
  const skip = base === undefined ? 0 : base.length + 1;
  let exists = base === undefined;
  const add = (path: string, kind: FileEntry["kind"]) => {
    const parts = path.slice(skip).split("/");
    const levels = Math.min(parts.length, depth);
    for (let level = 1; level <= levels; level++) {
      const prefix = path.slice(0, skip) + parts.slice(0, level).join("/");
      if (entries.has(prefix)) continue;
      entries.set(prefix, { path: prefix, kind: level === parts.length ? kind : "directory", level });
    }
  };
  for (const folder of tree.folders) {
    if (base !== undefined && !isInside(folder, base)) continue;
    exists = true;
    if (folder !== base) add(folder, "directory");
  }
  for (const file of tree.files) {
    if (file === base) {
      exists = true;
      entries.set(file, { path: file, kind: "file", level: 1 });
      continue;
    }
    if (base !== undefined && !isStrictlyInside(file, base)) continue;
    exists = true;
    add(file, "file");
  }
  return { entries, exists };
};

const byLevel = (left: LevelEntry, right: LevelEntry): number => {
  if (left.level !== right.level) return left.level - right.level;
  if (left.kind !== right.kind) return left.kind === "directory" ? -1 : 1;
  return left.path < right.path ? -1 : 1;
};
