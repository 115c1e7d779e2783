/**
 * The bytes of one file of an archive.
 */
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Effect from "effect/Effect";
import { SkillFault } from "../SkillFault.ts";
import type { ZipFile } from "./ZipEntries.ts";
import { zipFault } from "./zipFault.ts";

/**
 * Exactly as many bytes as the directory states, with the checksum that it states; inflating stops at the first byte more. Fails with
 * `skill.archive_invalid`, also when two entries share bytes or the entry's own header tells otherwise than the directory.
 */
export const inflate = Effect.fnUntraced(function* ({ entry, path }: ZipFile) {
  const size = entry.uncompressedSize;
  const bytes = new Uint8Array(size);
  const taken = { bytes: 0 };
  const writable = new WritableStream<Uint8Array>({
    write: (chunk) => {
      if (taken.bytes + chunk.length > size) throw zipFault(`${quote(path)} is larger than it says`, { path });
      bytes.set(chunk, taken.bytes);
      taken.bytes += chunk.length;
    },
  });
  yield* Effect.tryPromise({
    try: (signal) =>
      entry.getData(
        { writable },
        { signal, checkCrc32: true, checkOverlappingEntry: true, checkLocalFilename: true, useWebWorkers: false },
      ),
    catch: (cause) =>
      cause instanceof SkillFault ? cause : zipFault(`${quote(path)} in it is damaged or untrue`, { path, cause }),
  });
  if (taken.bytes !== size) return yield* zipFault(`${quote(path)} is smaller than it says`, { path });
  return bytes;
});
