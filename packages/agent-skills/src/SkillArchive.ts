/**
 * Packages as zip archives.
 *
 * Owns reading an archive that somebody else made, as if made to do harm: nothing is written to a disk, no size it states is believed,
 * no more is inflated than a package may have. And writing one whose bytes depend on nothing but the package.
 */
import type { PackageFile, SkillPackage } from "@cahier/domain/skill/Skill";
import { skillFile } from "@cahier/domain/skill/Skill";
import * as Effect from "effect/Effect";
import { archiveBytes } from "./internal/archiveBytes.ts";
import { inflate } from "./internal/inflate.ts";
import * as ZipEntries from "./internal/ZipEntries.ts";
import * as Limits from "./Limits.ts";
import * as PackagePath from "./PackagePath.ts";
import * as SkillReader from "./SkillReader.ts";

/**
 * The package in an archive: at its root, or in its only top folder, whose name is then the folder's. A folder `__MACOSX` beside
 * does not count. Fails with any code of `SkillFaultCode`.
 */
export const read = Effect.fn("SkillArchive.read")(function* (bytes: Uint8Array) {
  if (bytes.length > Limits.maxArchiveBytes) {
    return yield* SkillReader.tooLarge(`the archive has more than ${Limits.maxArchiveBytes} bytes`);
  }
  const entries = yield* ZipEntries.list(bytes);
  const place = placeOf(entries.map(({ path }) => path));
  if (place === undefined) return yield* SkillReader.missing();
  yield* ZipEntries.requireSizes(entries, `${place.prefix}${skillFile}`);
  const files: Array<PackageFile> = [];
  for (const entry of entries) {
    if (!entry.path.startsWith(place.prefix)) continue;
    files.push({ path: entry.path.slice(place.prefix.length), bytes: yield* inflate(entry) });
  }
  return yield* SkillReader.read(files, { folderName: place.folderName });
});

/**
 * An archive with the package in a folder of its name. Equal packages give equal bytes on every machine and at any time, and
 * `read` gives back files of the same `packageHash`.
 */
export const write = Effect.fn("SkillArchive.write")(function* ({
  files,
  manifest,
}: Pick<SkillPackage, "files" | "manifest">) {
  return yield* archiveBytes(files.map(({ bytes, path }) => ({ path: `${manifest.name}/${path}`, bytes })));
});

interface Place {
  readonly prefix: string;
  readonly folderName?: string;
}

const placeOf = (all: ReadonlyArray<string>): Place | undefined => {
  const paths = all.filter((path) => !PackagePath.isDesktopFile(path));
  if (paths.some(isSkillFile)) return { prefix: "" };
  const tops = new Set(paths.map((path) => path.slice(0, path.indexOf("/") + 1)));
  const [top = ""] = tops;
  if (tops.size !== 1 || !paths.some((path) => isSkillFile(path.slice(top.length)))) return undefined;
  return { prefix: top, folderName: top.slice(0, -1) };
};

const isSkillFile = (path: string): boolean => path.toLowerCase() === skillFile.toLowerCase();
