/**
 * What lies in a data folder and belongs to nothing: for whoever looks after it.
 *
 * Owns telling what is left over, and removing it. Does not own when something is old enough to be removed: another
 * process may be about to use a file that was written a moment ago.
 */
import { RunId } from "@cahier/domain/identity/Identity";
import type { Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as nodePath from "node:path";
import type * as Disk from "./Disk.ts";
import * as Fault from "./internal/fault.ts";
import * as Files from "./internal/Files.ts";
import * as Folders from "./internal/Folders.ts";
import * as RunIndex from "./internal/RunIndex.ts";
import * as RunLayout from "./internal/RunLayout.ts";
import * as NodeDisk from "./NodeDisk.ts";

/**
 * `tornEnd`: bytes that were cut off a journal, kept in case somebody wants to look at them. `temporary`: a file whose
 * writing was stopped. `restore`: a journal whose restoring was stopped. `unlisted`: a journal whose run is in no list,
 * because its creation or its removal was stopped.
 */
export type LeftoverKind = "tornEnd" | "temporary" | "restore" | "unlisted";

/** `path` is absolute; `modified` is milliseconds since 1970. `runId` is there for what lies in a run's folder. */
export interface Leftover {
  readonly kind: LeftoverKind;
  readonly path: string;
  readonly bytes: number;
  readonly modified: number;
  readonly runId?: RunId;
}

/** The data folder, and the disk that holds it (default: this machine's). */
export type Options = Folders.Options;

/** Everything that is left over, ordered by path. Looks at names alone, and follows no symbolic link. */
export const list = Effect.fn("FileLeftovers.list")(function* (
  options: Options,
): Effect.fn.Return<ReadonlyArray<Leftover>, Unavailable> {
  const disk = options.disk ?? NodeDisk.make();
  const folders = Folders.make(disk, options.directory);
  const index = RunIndex.make(disk, folders);
  const found = yield* Fault.attempt(operation, () =>
    roots.flatMap((root) => [...filesBelow(disk, folders.path([root]))]),
  );
  const leftovers = yield* Effect.forEach(found, (file) => classify(index, file));
  return leftovers.flatMap((leftover) => leftover ?? []).toSorted((one, other) => (one.path < other.path ? -1 : 1));
});

/** Removes what `list` has named. Idempotent. Removing an `unlisted` journal loses its events. */
export const remove = Effect.fn("FileLeftovers.remove")(function* (options: Options, leftover: Leftover) {
  const disk = options.disk ?? NodeDisk.make();
  yield* Fault.attempt(removing, () => Files.removeIfThere(disk, leftover.path));
  yield* Effect.catchIf(
    Fault.attemptAsync(removing, (done) => disk.syncDirectory(nodePath.dirname(leftover.path), done)),
    Fault.isAbsent,
    () => Effect.void,
  );
});

const operation = "leftovers.list";
const removing = "leftovers.remove";
const roots = ["agent-workspaces", "documents"];

interface Found {
  readonly path: string;
  readonly entry: Disk.Entry;
}

function* filesBelow(disk: Disk.Disk, folder: string): Generator<Found> {
  for (const name of Fault.orAbsent(() => disk.names(folder), [])) {
    const path = nodePath.join(folder, name);
    const entry = disk.entry(path);
    if (entry?.kind === "directory") yield* filesBelow(disk, path);
    else if (entry?.kind === "file") yield { path, entry };
  }
}

const classify = Effect.fnUntraced(function* (index: RunIndex.RunIndex, { entry, path }: Found) {
  const leftover = (kind: LeftoverKind, runId?: RunId): Leftover => ({
    kind,
    path,
    bytes: entry.size,
    modified: entry.modified,
    ...(runId === undefined ? {} : { runId }),
  });
  const name = nodePath.basename(path);
  const runId = runOf(path);
  if (Files.isTemporary(name)) return leftover("temporary", runId);
  if (runId === undefined) return undefined;
  if (RunLayout.isCut(name)) return leftover("tornEnd", runId);
  if (name === RunLayout.journalName) return (yield* index.has(runId)) ? undefined : leftover("unlisted", runId);
  if (!RunLayout.isRestoring(name)) return undefined;
  const record = yield* Effect.catchTag(index.find(runId), "NotFound", () => Effect.undefined);
  return record?.restored?.name === name ? undefined : leftover("restore", runId);
});

/** The run in whose folder a file lies directly. */
const runOf = (path: string): RunId | undefined => {
  const folder = nodePath.dirname(path);
  const id = nodePath.basename(folder);
  return nodePath.basename(nodePath.dirname(folder)) === "runs" && RunLayout.isSegment(id) ? RunId.make(id) : undefined;
};
