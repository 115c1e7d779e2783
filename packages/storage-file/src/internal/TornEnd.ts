/**
 * Repairing the end of a journal file before it is written again.
 *
 * Owns cutting off a torn end, with the cut bytes kept beside the journal, and writing anew what a failed sync may have
 * left in memory alone. Does not own telling what is torn: `JournalScan` does.
 */
import type { Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as nodePath from "node:path";
import type * as Disk from "../Disk.ts";
import * as Fault from "./fault.ts";
import * as Files from "./Files.ts";
import type { JournalReader } from "./JournalReader.ts";
import * as RunLayout from "./RunLayout.ts";

export interface Torn {
  readonly disk: Disk.Disk;
  readonly directory: string;
  readonly descriptor: number;
  readonly reader: JournalReader;
}

/**
 * Cuts the end behind the last batch that counts. Another process may be in the middle of writing what looks torn, so
 * the file is first looked at until it rests; a writer that still loses its bytes finds out by its own look after its sync.
 */
export const repair = Effect.fnUntraced(function* (torn: Torn) {
  const { descriptor, disk, reader } = torn;
  const size = yield* restingSize(torn);
  const { point, torn: lines } = reader.known();
  if (lines === 0 || size <= point.offset) return;
  const cut = yield* Fault.attempt(operation, () => Files.readRange(disk, descriptor, point.offset, size));
  yield* keep(torn, cut);
  yield* Fault.attempt(operation, () => {
    if (disk.stat(descriptor).size === size) disk.truncate(descriptor, point.offset);
  });
  yield* Fault.attemptAsync(operation, (done) => disk.syncData(descriptor, done));
  yield* Fault.attempt(operation, () => reader.refresh());
});

/** Writes the bytes from `start` to `end` again and syncs them: after a failed sync the system takes them for written. */
export const rewrite = (
  disk: Disk.Disk,
  directory: string,
  start: number,
  end: number,
): Effect.Effect<void, Unavailable> =>
  Effect.acquireUseRelease(
    Fault.attempt(operation, () => disk.open(nodePath.join(directory, RunLayout.journalName), "update")),
    (descriptor) =>
      Effect.andThen(
        Fault.attempt(operation, () => {
          const bytes = Files.readRange(disk, descriptor, start, end);
          for (let written = 0; written < bytes.length;) {
            written += disk.writeAt(descriptor, bytes.subarray(written), start + written);
          }
        }),
        Fault.attemptAsync(operation, (done) => disk.syncData(descriptor, done)),
      ),
    (descriptor) => Fault.attempt(operation, () => disk.close(descriptor)),
  );

const operation = "journal.repair";
const restMilliseconds = 20;
const looks = 50;

/** The size of the file once two looks in a row agree, or the last one seen. */
const restingSize = Effect.fnUntraced(function* ({ descriptor, disk, reader }: Torn) {
  const look = Fault.attempt(operation, () => {
    reader.refresh();
    return disk.stat(descriptor).size;
  });
  let size = yield* look;
  for (let count = 0; count < looks; count += 1) {
    yield* Effect.callback<void>((resume) => disk.later(restMilliseconds, () => resume(Effect.void)));
    const next = yield* look;
    if (next === size) break;
    size = next;
  }
  return size;
});

/** Stores the cut bytes under the first free name beside the journal. */
const keep = Effect.fnUntraced(function* ({ directory, disk }: Torn, bytes: Uint8Array) {
  for (let n = 1; ; n += 1) {
    const path = nodePath.join(directory, RunLayout.cutName(n));
    if (yield* Fault.attempt(operation, () => disk.entry(path) !== undefined)) continue;
    yield* Files.writeDurable(disk, path, bytes, operation);
    return yield* Fault.attemptAsync(operation, (done) => disk.syncDirectory(directory, done));
  }
});
