/**
 * Packages in folders on disk.
 *
 * Owns that nothing outside the folder is read: symbolic links are refused, never followed, be it the folder itself. Looks at no more
 * than a package may have, and reads files only when all of them together, and each by itself, are small enough.
 */
import { constants } from "node:fs";
import { lstat, open, opendir, realpath } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { type PackageFile, skillFile } from "@cahier/domain/skill/Skill";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Effect from "effect/Effect";
import * as Limits from "./Limits.ts";
import * as PackagePath from "./PackagePath.ts";
import { SkillFault } from "./SkillFault.ts";
import * as SkillReader from "./SkillReader.ts";

/** The package in the folder `path`. Fails with every code of `SkillFaultCode` but that of archives. */
export const read = Effect.fn("SkillFolder.read")(function* (path: string) {
  const root = yield* requireFolder(path);
  const paths: Array<string> = [];
  const folders = [""];
  const seen = { entries: 0, bytes: 0 };
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = yield* list(root, folder, Limits.maxEntries - seen.entries);
    seen.entries += entries.length;
    if (seen.entries > Limits.maxEntries) return yield* SkillReader.tooLarge(SkillReader.reasons.entries);
    for (const { kind, name } of entries) {
      const inside = folder === "" ? name : `${folder}/${name}`;
      if (kind === "link") return yield* linked(inside);
      if (kind === "other") return yield* special(inside);
      yield* Effect.fromResult(PackagePath.parse(inside));
      if (kind === "folder") folders.push(inside);
      else {
        if (paths.length === Limits.maxFiles) return yield* SkillReader.tooLarge(SkillReader.reasons.files);
        const { size } = yield* attempt(inside, () => lstat(join(root, inside)));
        // One that is too large by itself is named when it is read.
        seen.bytes += Math.min(size, Limits.maxFileBytes);
        if (seen.bytes > Limits.maxPackageBytes) return yield* SkillReader.tooLarge(SkillReader.reasons.bytes);
        paths.push(inside);
      }
    }
  }
  const files: Array<PackageFile> = [];
  const taken = { bytes: 0 };
  for (const path of paths) {
    const bytes = yield* fileBytes(root, path, Limits.maxPackageBytes - taken.bytes);
    taken.bytes += bytes.length;
    files.push({ path, bytes });
  }
  return yield* SkillReader.read(files, { folderName: basename(root) });
});

/** What lies directly below a folder: folders with a `SKILL.md`, and links, which nobody follows. Both in order, as paths. */
export interface FoundPackages {
  readonly packages: ReadonlyArray<string>;
  readonly links: ReadonlyArray<string>;
}

/**
 * The packages directly below the folder `path`, not yet read. Fails with `skill.symlink_refused` when the folder is a link,
 * `skill.skill_file_missing` when it cannot be read, `skill.too_large` when more lies in it than one can look through.
 */
export const find = Effect.fn("SkillFolder.find")(function* (path: string) {
  const root = yield* requireFolder(path);
  const entries = yield* list(root, "", Limits.maxEntries);
  if (entries.length > Limits.maxEntries) return yield* SkillReader.tooLarge(SkillReader.reasons.entries);
  const names = entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  const folders = names.filter(({ kind }) => kind === "folder").map(({ name }) => join(root, name));
  const packages = yield* Effect.filter(folders, hasSkillFile);
  const links = names.filter(({ kind }) => kind === "link").map(({ name }) => join(root, name));
  const found: FoundPackages = { packages, links };
  return found;
});

const hasSkillFile = (folder: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    Promise.any([skillFile, skillFile.toLowerCase()].map((name) => lstat(join(folder, name)))).then(
      () => true,
      () => false,
    ),
  );

/** The folder's path without a slash at its end, which would have a link followed. */
const requireFolder = Effect.fnUntraced(function* (path: string) {
  const root = resolve(path);
  const found = yield* attempt(path, () => lstat(root));
  if (found.isSymbolicLink()) return yield* linked(path);
  if (!found.isDirectory()) return yield* unreadable(path, "is no folder");
  return yield* attempt(path, () => realpath(root));
});

interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

/** The entries of a folder in no order, at most one more than `limit`. */
const list = Effect.fnUntraced(function* (root: string, folder: string, limit: number) {
  const path = join(root, folder);
  // A folder that another program exchanges for a link meanwhile lies elsewhere.
  if ((yield* attempt(folder, () => realpath(path))) !== path) return yield* linked(folder);
  return yield* attempt(folder, () => entriesOf(path, limit));
});

const entriesOf = async (path: string, limit: number): Promise<ReadonlyArray<FolderEntry>> => {
  const entries: Array<FolderEntry> = [];
  for await (const entry of await opendir(path)) {
    const kind = entry.isSymbolicLink() ? "link" : entry.isDirectory() ? "folder" : entry.isFile() ? "file" : "other";
    entries.push({ name: entry.name, kind });
    if (entries.length > limit) break;
  }
  return entries;
};

const fileBytes = Effect.fnUntraced(function* (root: string, path: string, left: number) {
  const limit = path === skillFile ? Limits.maxSkillFileBytes : Limits.maxFileBytes;
  const bytes = yield* attempt(path, () => bytesOf(join(root, path), Math.min(limit, left)));
  if (bytes === "special") return yield* special(path);
  if (bytes === "changed") return yield* unreadable(path, "has other bytes than it says");
  if (bytes !== "large") return bytes;
  if (left < limit) return yield* SkillReader.tooLarge(SkillReader.reasons.bytes);
  return yield* SkillReader.tooLarge(
    path === skillFile ? SkillReader.reasons.skillFile : SkillReader.reasons.file(path),
    path,
  );
});

/** Never follows a link, never waits for a pipe. */
const readOnly = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The bytes of a regular file of at most `limit`; no more of it is read than it says to have. */
const bytesOf = async (path: string, limit: number): Promise<Uint8Array | "large" | "special" | "changed"> => {
  const file = await open(path, readOnly);
  try {
    const found = await file.stat();
    if (!found.isFile()) return "special";
    if (found.size > limit) return "large";
    const buffer = new Uint8Array(found.size + 1);
    const fill = async (offset: number): Promise<number> => {
      const { bytesRead } = await file.read(buffer, offset, buffer.length - offset, offset);
      const end = offset + bytesRead;
      return bytesRead === 0 || end === buffer.length ? end : fill(end);
    };
    return (await fill(0)) === found.size ? buffer.subarray(0, found.size) : "changed";
  } finally {
    await file.close();
  }
};

const attempt = <A>(path: string, work: () => Promise<A>): Effect.Effect<A, SkillFault> =>
  Effect.tryPromise({ try: work, catch: (error) => faultOf(path, error) });

const faultOf = (path: string, error: unknown): SkillFault => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ELOOP") return linked(path);
  if (code === "ENOENT" || code === "ENOTDIR") return unreadable(path, "is not there", error);
  return unreadable(path, "cannot be read", error);
};

const linked = (path: string): SkillFault =>
  new SkillFault({
    code: "skill.symlink_refused",
    path,
    detail: `${quote(path)} is a symbolic link, and links are not followed. Put what it points to in its place.`,
  });

const special = (path: string): SkillFault =>
  new SkillFault({
    code: "skill.path_unsafe",
    path,
    detail: `${quote(path)} is neither a file nor a folder. Remove it from the package.`,
  });

const unreadable = (path: string, what: string, cause?: unknown): SkillFault =>
  new SkillFault({
    code: "skill.skill_file_missing",
    path,
    detail: `${quote(path)} ${what}. Check the path, and that you may read it.`,
    ...(cause === undefined ? {} : { cause }),
  });
