/**
 * Whole files: reading them, and writing them under a temporary name first.
 *
 * Owns temporary names and the loop around short writes. Does not own where files stand, nor when names become durable.
 */
import type { Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as crypto from "node:crypto";
import * as nodePath from "node:path";
import * as Disk from "../Disk.ts";
import * as Fault from "./fault.ts";

/** True for a name that only a file in the making has; no other file of these adapters may have it. */
export const isTemporary = (name: string): boolean => /^\.cahier-[0-9a-f]{16}\.tmp$/i.test(name);

/** All bytes of a file; throws what the disk throws. */
export const read = (disk: Disk.Disk, path: string): Buffer => {
  const descriptor = disk.open(path, "read");
  try {
    return readRange(disk, descriptor, 0, disk.stat(descriptor).size);
  } finally {
    disk.close(descriptor);
  }
};

/** The bytes from `start` to `end`, fewer if the file ends before. */
export const readRange = (disk: Disk.Disk, descriptor: number, start: number, end: number): Buffer => {
  const target = Buffer.allocUnsafe(Math.max(0, end - start));
  let filled = 0;
  while (filled < target.length) {
    const count = disk.read(descriptor, target.subarray(filled), start + filled);
    if (count === 0) break;
    filled += count;
  }
  return target.subarray(0, filled);
};

/** Writes a file under a temporary name in `directory` and gives its path. A crash may forget it. */
export const writeTemporary = (disk: Disk.Disk, directory: string, bytes: Uint8Array): string => {
  const path = temporaryPath(directory);
  const descriptor = disk.open(path, "create");
  try {
    writeAll(disk, descriptor, bytes, path);
  } catch (error) {
    discard(disk, path);
    throw error;
  } finally {
    disk.close(descriptor);
  }
  return path;
};

/** The same; the bytes are durable when it returns, the name is not. */
export const writeTemporaryDurable = (
  disk: Disk.Disk,
  directory: string,
  bytes: Uint8Array,
  operation: string,
): Effect.Effect<string, Unavailable> => {
  const path = temporaryPath(directory);
  return writeDurable(disk, path, bytes, operation).pipe(
    Effect.as(path),
    Effect.tapError(() => Effect.sync(() => discard(disk, path))),
  );
};

/** Makes a file whose bytes are durable when it returns; its name is not. Fails when the name is taken. */
export const writeDurable = (
  disk: Disk.Disk,
  path: string,
  bytes: Uint8Array,
  operation: string,
): Effect.Effect<void, Unavailable> =>
  Effect.acquireUseRelease(
    Fault.attempt(operation, () => disk.open(path, "create")),
    (descriptor) =>
      Effect.andThen(
        Fault.attempt(operation, () => writeAll(disk, descriptor, bytes, path)),
        Fault.attemptAsync(operation, (done) => disk.syncData(descriptor, done)),
      ),
    (descriptor) => Fault.attempt(operation, () => disk.close(descriptor)),
  );

/** Writes all bytes behind what was written before; throws what the disk throws. */
export const writeAll = (disk: Disk.Disk, descriptor: number, bytes: Uint8Array, path: string): void => {
  let written = 0;
  while (written < bytes.length) {
    const count = disk.write(descriptor, bytes.subarray(written));
    if (count === 0) throw Disk.failure("ENOSPC", path);
    written += count;
  }
};

/** Removes a file that nothing needs any more. One that cannot be removed does no harm: its name is temporary. */
export const discard = (disk: Disk.Disk, path: string): void => {
  try {
    disk.unlink(path);
  } catch (error) {
    if (Disk.codeOf(error) === undefined) throw error;
  }
};

/** Removes a file; true when it was there. */
export const removeIfThere = (disk: Disk.Disk, path: string): boolean =>
  Fault.orAbsent(() => {
    disk.unlink(path);
    return true;
  }, false);

const temporaryPath = (directory: string): string =>
  nodePath.join(directory, `.cahier-${crypto.randomBytes(8).toString("hex")}.tmp`);
