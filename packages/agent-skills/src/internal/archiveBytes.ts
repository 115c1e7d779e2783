/**
 * A zip archive whose bytes depend on nothing but its files.
 */
import type { PackageFile } from "@cahier/domain/skill/Skill";
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from "@zip.js/zip.js";
import * as Effect from "effect/Effect";
import * as Limits from "../Limits.ts";

/**
 * The archive of `files`, in the order of their paths. What compresses better than readers believe is stored as it is.
 */
export const archiveBytes = Effect.fnUntraced(function* (files: ReadonlyArray<PackageFile>) {
  const ordered = files.toSorted((left, right) => (left.path < right.path ? -1 : 1));
  const first = yield* Effect.promise(() => pack(ordered, new Set()));
  if (first.suspicious.size === 0) return first.bytes;
  return (yield* Effect.promise(() => pack(ordered, first.suspicious))).bytes;
});

interface Packed {
  readonly bytes: Uint8Array;
  /** Paths of files that became more than `maxRatio` times as small. */
  readonly suspicious: ReadonlySet<string>;
}

/** 1980-01-01 00:00 in the zip format's own writing, which knows no time zone. */
const beginningOfTime = 0x0021_0000;

/** Unix, a plain file that its owner may change. */
const attributes = 0o100644 * 0x1_0000;
const madeByUnix = 0x0314;

const pack = async (files: ReadonlyArray<PackageFile>, stored: ReadonlySet<string>): Promise<Packed> => {
  const writer = new ZipWriter(new Uint8ArrayWriter(), {
    useWebWorkers: false,
    // The platform's own compressor gives other bytes on other machines.
    useCompressionStream: false,
    dataDescriptor: false,
    extendedTimestamp: false,
    rawLastModDate: beginningOfTime,
    externalFileAttributes: attributes,
    versionMadeBy: madeByUnix,
  });
  const suspicious = new Set<string>();
  for (const { bytes, path } of files) {
    const level = stored.has(path) || bytes.length === 0 ? 0 : 9;
    // oxlint-disable-next-line no-await-in-loop -- entries lie one after the other
    const { compressedSize } = await writer.add(path, new Uint8ArrayReader(bytes), { level });
    if (bytes.length > compressedSize * Limits.maxRatio) suspicious.add(path);
  }
  return { bytes: await writer.close(), suspicious };
};
