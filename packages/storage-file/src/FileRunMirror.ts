/**
 * RunMirror on files: the readable tree in a run's folder, beside its journal.
 *
 * Owns that a file of the tree is replaced whole and that no path leaves the run's folder, passes a symbolic link or
 * touches the journal. Does not own the tree's content; nothing here is synced, because it can be made again.
 */
import * as RunMirror from "@cahier/ports/RunMirror";
import { NotFound } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as nodePath from "node:path";
import * as Disk from "./Disk.ts";
import * as Fault from "./internal/fault.ts";
import * as Files from "./internal/Files.ts";
import * as Folders from "./internal/Folders.ts";
import * as RunLayout from "./internal/RunLayout.ts";
import * as NodeDisk from "./NodeDisk.ts";

/** The data folder, and the disk that holds it (default: this machine's). */
export type Options = Folders.Options;

/** A mirror over a data folder. */
export const make = (options: Options): RunMirror.RunMirror["Service"] => {
  const disk = options.disk ?? NodeDisk.make();
  const folders = Folders.make(disk, options.directory);

  const write = Effect.fn("FileRunMirror.write")(function* (
    run: RunMirror.MirroredRun,
    path: string,
    bytes: Uint8Array,
  ) {
    const { file, folder } = yield* locate("mirror.write", run, path);
    // A removal at the same time may take a folder away that this write has just found.
    yield* Effect.retry(
      Fault.attempt("mirror.write", () => replaceFile(disk, folders.make(folder), file, bytes)),
      { times: attempts, while: Fault.isAbsent },
    );
  }, Effect.uninterruptible);

  const read = Effect.fn("FileRunMirror.read")(function* (run: RunMirror.MirroredRun, path: string) {
    const { file, folder } = yield* locate("mirror.read", run, path);
    const bytes = yield* Fault.attempt("mirror.read", () =>
      orNoFile(() => Files.read(disk, nodePath.join(folders.verify(folder), file)), undefined),
    );
    if (bytes === undefined) return yield* new NotFound({ entity: "mirrored file", id: `${run.runId}/${path}` });
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  });

  const remove = Effect.fn("FileRunMirror.remove")(function* (run: RunMirror.MirroredRun, path: string) {
    const { file, folder } = yield* locate("mirror.remove", run, path);
    yield* Fault.attempt("mirror.remove", () => {
      const removed = orNoFile(() => removeFile(disk, nodePath.join(folders.verify(folder), file)), false);
      if (!removed) return;
      const depth = RunLayout.runFolder(run.workspaceId, run.runId).length;
      for (let length = folder.length; length > depth; length -= 1) {
        if (!removeEmpty(disk, folders.path(folder.slice(0, length)))) break;
      }
    });
  }, Effect.uninterruptible);

  const list = Effect.fn("FileRunMirror.list")(function* (run: RunMirror.MirroredRun) {
    return yield* Fault.attempt("mirror.list", () => {
      const folder = Fault.orAbsent(() => verified(run), undefined);
      return folder === undefined ? [] : pathsBelow(disk, folder, "").toSorted();
    });
  });

  const clear = Effect.fn("FileRunMirror.clear")(function* (run: RunMirror.MirroredRun) {
    yield* Fault.attempt("mirror.clear", () => {
      const folder = Fault.orAbsent(() => verified(run), undefined);
      if (folder === undefined) return;
      for (const name of disk.names(folder)) {
        if (!RunLayout.isJournals(name)) removeTree(disk, nodePath.join(folder, name));
      }
    });
  }, Effect.uninterruptible);

  const verified = (run: RunMirror.MirroredRun): string | undefined =>
    isRun(run) ? folders.verify(RunLayout.runFolder(run.workspaceId, run.runId)) : undefined;

  return RunMirror.RunMirror.of({ write, read, remove, list, clear });
};

/** RunMirror on files. */
export const layer = (options: Options): Layer.Layer<RunMirror.RunMirror> =>
  Layer.sync(RunMirror.RunMirror, () => make(options));

const attempts = 3;

const isRun = ({ runId, workspaceId }: RunMirror.MirroredRun): boolean =>
  RunLayout.isSegment(runId) && RunLayout.isSegment(workspaceId);

/** The folder (below the data folder) and the name of a mirrored file. */
const locate = Effect.fnUntraced(function* (operation: string, run: RunMirror.MirroredRun, path: string) {
  const segments = path.split("/");
  const file = segments.at(-1);
  const first = segments[0];
  if (!isRun(run)) return yield* Fault.invalid(operation, "a run id and a workspace id are one path segment each");
  if (file === undefined || first === undefined || !segments.every(isPlain)) {
    return yield* Fault.invalid(operation, `the path ${JSON.stringify(path)} would leave the run's folder`);
  }
  if (RunLayout.isJournals(first)) return yield* Fault.invalid(operation, `${first} belongs to the journal`);
  return { file, folder: [...RunLayout.runFolder(run.workspaceId, run.runId), ...segments.slice(0, -1)] };
});

const isPlain = (segment: string): boolean =>
  segment !== "" && segment !== "." && segment !== ".." && !/[\\\0]/.test(segment) && !Files.isTemporary(segment);

/** Runs `run`, with `fallback` when there is no such file: nothing, a folder, or a file where a folder should be. */
const orNoFile = <A, B>(run: () => A, fallback: B): A | B => {
  try {
    return run();
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(Disk.codeOf(error) ?? "")) return fallback;
    throw error;
  }
};

const removeFile = (disk: Disk.Disk, path: string): boolean =>
  disk.entry(path)?.kind !== "directory" && Files.removeIfThere(disk, path);

const replaceFile = (disk: Disk.Disk, folder: string, file: string, bytes: Uint8Array): void => {
  const path = nodePath.join(folder, file);
  if (disk.entry(path)?.kind === "symlink") throw Disk.failure("ELOOP", path);
  const temporary = Files.writeTemporary(disk, folder, bytes);
  try {
    disk.rename(temporary, path);
  } catch (error) {
    Files.discard(disk, temporary);
    throw error;
  }
};

const removeEmpty = (disk: Disk.Disk, folder: string): boolean => {
  try {
    disk.removeDirectory(folder);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTEMPTY", "EEXIST"].includes(Disk.codeOf(error) ?? "")) return false;
    throw error;
  }
};

/** The files below a folder. `prefix` is empty at the top, where the journal lies; links are not part of a tree. */
const pathsBelow = (disk: Disk.Disk, folder: string, prefix: string): ReadonlyArray<string> =>
  disk.names(folder).flatMap((name) => {
    if (Files.isTemporary(name) || (prefix === "" && RunLayout.isJournals(name))) return [];
    const path = nodePath.join(folder, name);
    const kind = disk.entry(path)?.kind;
    if (kind === "directory") return pathsBelow(disk, path, `${prefix}${name}/`);
    return kind === "file" ? [`${prefix}${name}`] : [];
  });

/** Removes a file, a link itself, or a folder with all that is in it. */
const removeTree = (disk: Disk.Disk, path: string): void => {
  if (disk.entry(path)?.kind !== "directory") {
    Files.removeIfThere(disk, path);
    return;
  }
  for (const name of disk.names(path)) removeTree(disk, nodePath.join(path, name));
  disk.removeDirectory(path);
};
