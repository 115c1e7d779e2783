/**
 * The entries of an archive, as its directory lists them.
 *
 * Everything that the directory alone tells is refused here, before a byte is inflated.
 */
import { quote } from "@cahier/domain/workspace/Refusal";
import { type Entry, type FileEntry, Uint8ArrayReader, ZipReader } from "@zip.js/zip.js";
import * as Effect from "effect/Effect";
import * as Limits from "../Limits.ts";
import * as PackagePath from "../PackagePath.ts";
import { SkillFault } from "../SkillFault.ts";
import * as SkillReader from "../SkillReader.ts";
import { zipFault } from "./zipFault.ts";

/** A file of the archive. `path` is safe and as it was written. */
export interface ZipFile {
  readonly path: string;
  readonly entry: FileEntry;
}

/**
 * The files, in the archive's order. Fails with `skill.archive_invalid`, `skill.symlink_refused`, `skill.path_unsafe` and, with
 * more entries than one may have, `skill.too_large`.
 */
export const list = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const entries = yield* Effect.tryPromise({
    try: () => entriesOf(bytes),
    catch: (cause) => zipFault("it is no zip file, or a damaged one", { cause }),
  });
  if (entries.length > Limits.maxEntries) return yield* SkillReader.tooLarge(SkillReader.reasons.entries);
  const files: Array<ZipFile> = [];
  for (const entry of entries) {
    const path = entry.filename.replace(/\/$/, "");
    yield* requireKind(entry, path);
    yield* Effect.fromResult(PackagePath.parse(path));
    if (!entry.directory) files.push({ path, entry });
  }
  if (files.length > Limits.maxFiles) return yield* SkillReader.tooLarge(SkillReader.reasons.files);
  yield* Effect.fromResult(PackagePath.requireDistinct(files.map(({ path }) => path)));
  return files;
});

/**
 * Holds the sizes that the directory states to the limits; whether they are true shows when the files are inflated.
 * `skillPath` is the path of `SKILL.md` in the archive. Fails with `skill.too_large`.
 */
export const requireSizes = Effect.fnUntraced(function* (files: ReadonlyArray<ZipFile>, skillPath: string) {
  for (const { entry, path } of files) {
    if (path === skillPath && entry.uncompressedSize > Limits.maxSkillFileBytes) {
      return yield* SkillReader.tooLarge(SkillReader.reasons.skillFile, path);
    }
    if (entry.uncompressedSize > Limits.maxFileBytes) {
      return yield* SkillReader.tooLarge(SkillReader.reasons.file(path), path);
    }
    yield* requireRatio(entry.uncompressedSize, entry.compressedSize, path);
  }
  const total = files.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0);
  if (total > Limits.maxPackageBytes) return yield* SkillReader.tooLarge(SkillReader.reasons.bytes);
  yield* requireRatio(
    total,
    files.reduce((sum, { entry }) => sum + entry.compressedSize, 0),
  );
});

const requireRatio = Effect.fnUntraced(function* (size: number, compressed: number, path?: string) {
  if (size <= Limits.ratioFreeBytes || size <= compressed * Limits.maxRatio) return;
  const what = path === undefined ? "the archive" : quote(path);
  return yield* SkillReader.tooLarge(`${what} unpacks to more than ${Limits.maxRatio} times its size`, path);
});

/** At most one entry more than there may be. */
const entriesOf = async (bytes: Uint8Array): Promise<ReadonlyArray<Entry>> => {
  const entries: Array<Entry> = [];
  const reader = new ZipReader(new Uint8ArrayReader(bytes), { useWebWorkers: false, filenameValidation: "tolerant" });
  for await (const entry of reader.getEntriesGenerator()) {
    entries.push(entry);
    if (entries.length > Limits.maxEntries) break;
  }
  return entries;
};

/** The kinds of files in the upper half of the attributes, where Unix keeps them; 0 is what other systems leave there. */
const kindOf = (entry: Entry): number => (entry.externalFileAttributes >>> 16) & 0o170000;
const link = 0o120000;
const plainKinds: ReadonlySet<number> = new Set([0, 0o100000, 0o040000]);

const stored = 0;
const deflated = 8;

const requireKind = Effect.fnUntraced(function* (entry: Entry, path: string) {
  if (kindOf(entry) === link) {
    return yield* new SkillFault({
      code: "skill.symlink_refused",
      path,
      detail: `${quote(path)} in the archive is a symbolic link, and links are not followed. Put what it points to in its place.`,
    });
  }
  if (!plainKinds.has(kindOf(entry))) return yield* zipFault(`${quote(path)} is neither a file nor a folder`, { path });
  if (entry.encrypted) return yield* zipFault(`${quote(path)} is encrypted`, { path });
  if (entry.compressionMethod !== stored && entry.compressionMethod !== deflated) {
    return yield* zipFault(`${quote(path)} is compressed in an unusual way`, { path });
  }
});
