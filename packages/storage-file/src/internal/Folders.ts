/**
 * The directories below a data folder.
 *
 * Owns that no symbolic link is passed on the way to a file, and that the names of new directories are durable. Does
 * not own files. The data folder itself, and what is above it, is the user's choice and may be a link.
 */
import type { Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as nodePath from "node:path";
import * as Disk from "../Disk.ts";
import * as Fault from "./fault.ts";

/** Where a file adapter works: the data folder, and the disk that holds it. */
export interface Options {
  readonly directory: string;
  readonly disk?: Disk.Disk;
}

export interface Folders {
  /** The absolute path of a directory below the data folder, without looking. */
  readonly path: (segments: ReadonlyArray<string>) => string;
  /** The path when every directory on the way is there; throws `ENOENT`, `ELOOP` or `ENOTDIR` otherwise. */
  readonly verify: (segments: ReadonlyArray<string>) => string;
  /** Makes what is missing on the way; gives the path. A crash may forget new directories. */
  readonly make: (segments: ReadonlyArray<string>) => string;
  /** The same, durable when it returns. */
  readonly makeDurable: (segments: ReadonlyArray<string>) => Effect.Effect<string, Unavailable>;
}

export const make = (disk: Disk.Disk, directory: string): Folders => {
  const root = nodePath.resolve(directory);
  // Directories whose names were synced through this instance, with their identities: one made anew is another directory.
  const synced = new Set<string>();

  const path = (segments: ReadonlyArray<string>): string => nodePath.join(root, ...segments);

  const verify = (segments: ReadonlyArray<string>): string => {
    for (const at of below(root, segments)) requireDirectory(disk, at);
    return path(segments);
  };

  const makeMissing = (segments: ReadonlyArray<string>): string => {
    if (disk.entry(root) === undefined) for (const at of above(root)) ensureTop(disk, at);
    for (const at of below(root, segments)) ensureDirectory(disk, at);
    return path(segments);
  };

  const makeDurable = Effect.fnUntraced(function* (segments: ReadonlyArray<string>) {
    const operation = "directory.create";
    const made = yield* Fault.attempt(operation, () =>
      disk.entry(root) === undefined ? above(root).filter((at) => ensureTop(disk, at)) : [],
    );
    for (const at of made) {
      yield* Fault.attemptAsync(operation, (done) => disk.syncDirectory(nodePath.dirname(at), done));
    }
    for (const at of below(root, segments)) {
      const key = `${yield* Fault.attempt(operation, () => ensureDirectory(disk, at))}:${at}`;
      if (synced.has(key)) continue;
      yield* Fault.attemptAsync(operation, (done) => disk.syncDirectory(nodePath.dirname(at), done));
      synced.add(key);
    }
    return path(segments);
  });

  return { path, verify, make: makeMissing, makeDurable };
};

/** Removes a folder unless something is in it; one that is not there is no error. */
export const removeUnlessFilled = (disk: Disk.Disk, path: string): void => {
  try {
    disk.removeDirectory(path);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(Disk.codeOf(error) ?? "")) throw error;
  }
};

/** The data folder and what is above it, outermost first. */
const above = (root: string): ReadonlyArray<string> => {
  const parent = nodePath.dirname(root);
  return parent === root ? [root] : [...above(parent), root];
};

const below = (root: string, segments: ReadonlyArray<string>): ReadonlyArray<string> =>
  segments.map((_, index) => nodePath.join(root, ...segments.slice(0, index + 1)));

/** Makes a directory at or above the data folder; true when it was missing. */
const ensureTop = (disk: Disk.Disk, at: string): boolean => {
  if (disk.entry(at) !== undefined) return false;
  return makeOrFind(disk, at);
};

/** The identity of a directory below the data folder, made if it was missing. */
const ensureDirectory = (disk: Disk.Disk, at: string): string => {
  const found = disk.entry(at);
  if (found !== undefined) return directoryIdentity(found, at);
  makeOrFind(disk, at);
  return requireDirectory(disk, at);
};

const requireDirectory = (disk: Disk.Disk, at: string): string => {
  const entry = disk.entry(at);
  if (entry === undefined) throw Disk.failure("ENOENT", at);
  return directoryIdentity(entry, at);
};

const directoryIdentity = ({ identity, kind }: Disk.Entry, at: string): string => {
  if (kind === "symlink") throw Disk.failure("ELOOP", at);
  if (kind !== "directory") throw Disk.failure("ENOTDIR", at);
  return identity;
};

/** False when somebody else made it first. */
const makeOrFind = (disk: Disk.Disk, at: string): boolean => {
  try {
    disk.makeDirectory(at);
    return true;
  } catch (error) {
    if (Disk.codeOf(error) === "EEXIST") return false;
    throw error;
  }
};
