/**
 * Paths of files in a package.
 *
 * Owns which paths a package may have, whoever wrote it and on whatever disk it will be kept. Everything is refused that
 * could lie outside the package's folder, or that two disks would not name alike.
 */
import { quote } from "@cahier/domain/workspace/Refusal";
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import * as Result from "effect/Result";
import { SkillFault } from "./SkillFault.ts";

/** Names of files and folders that hold secrets or a repository's own state. Compared without case. */
export const guardedSegments: ReadonlyArray<string> = [".git", ".ssh", ".env"];

/**
 * The path in Unicode NFC, relative and separated by `/`; a parsed path parses to itself. Fails with
 * `skill.path_unsafe`: nothing is repaired, for a path that has to be is not what its author thinks.
 */
export const parse = (text: string): Result.Result<string, SkillFault> => {
  if (text.includes("\\")) return unsafe(text, "it contains a backslash");
  const parsed = WorkspacePath.parse(text);
  if (Result.isFailure(parsed)) return unsafe(text, "it is absolute, leaves the folder, or is no name on every disk");
  if (parsed.success !== text.normalize("NFC")) return unsafe(text, "it is not in its shortest form");
  const guarded = WorkspacePath.segments(parsed.success).find((segment) => guardedSegments.includes(fold(segment)));
  return guarded === undefined
    ? Result.succeed(parsed.success)
    : unsafe(text, `${quote(guarded)} may hold secrets or a repository's own state`);
};

/**
 * Fails with `skill.path_unsafe` when two paths are one on a disk that ignores case or the way letters are composed, or
 * when one is a file and a folder for another.
 */
export const requireDistinct = (paths: ReadonlyArray<string>): Result.Result<void, SkillFault> => {
  const files = new Map<string, string>();
  for (const path of paths) {
    const other = files.get(fold(path));
    if (other !== undefined) return unsafe(path, `${quote(other)} is the same file on some disks`);
    files.set(fold(path), path);
  }
  for (const path of paths) {
    const folder = foldersOf(fold(path)).find((one) => files.has(one));
    if (folder !== undefined) return unsafe(path, `${quote(files.get(folder) ?? folder)} is a file already`);
  }
  return Result.void;
};

/** Files and folders that a desktop leaves beside what a person put there. */
export const isDesktopFile = (path: string): boolean =>
  path.startsWith("__MACOSX/") || desktopFiles.has(path.slice(path.lastIndexOf("/") + 1));

const desktopFiles: ReadonlySet<string> = new Set([".DS_Store", "Thumbs.db", "desktop.ini"]);

/** Equal for paths that some disk takes for one. Upper case first: it writes letters such as `ß` out. */
const fold = (path: string): string => path.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC");

const foldersOf = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, index, segments) => segments.slice(0, index + 1).join("/"));

const unsafe = (path: string, reason: string): Result.Result<never, SkillFault> =>
  Result.fail(
    new SkillFault({
      code: "skill.path_unsafe",
      path,
      detail: `The package cannot be used because of its file ${quote(path)}: ${reason}. Remove or rename the file.`,
    }),
  );
