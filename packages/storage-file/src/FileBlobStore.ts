/**
 * BlobStore on files: `agent-workspaces/blobs/<scope>/<sha256>`.
 *
 * Owns that a blob appears whole and under its own digest. Does not own which blobs are needed.
 */
import type { Sha256 } from "@cahier/domain/payload/Sha256";
import * as BlobStore from "@cahier/ports/BlobStore";
import { Corrupt, NotFound } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as crypto from "node:crypto";
import * as nodePath from "node:path";
import type * as Disk from "./Disk.ts";
import * as Fault from "./internal/fault.ts";
import * as Files from "./internal/Files.ts";
import * as Folders from "./internal/Folders.ts";
import * as RunLayout from "./internal/RunLayout.ts";
import * as NodeDisk from "./NodeDisk.ts";

/** The data folder, and the disk that holds it (default: this machine's). */
export type Options = Folders.Options;

/** A blob store over a data folder. */
export const make = (options: Options): BlobStore.BlobStore["Service"] => {
  const disk = options.disk ?? NodeDisk.make();
  const folders = Folders.make(disk, options.directory);

  const put = Effect.fn("FileBlobStore.put")(function* (scope: string, bytes: Uint8Array) {
    if (!RunLayout.isSegment(scope)) return yield* Fault.invalid("blob.put", "a scope is one path segment");
    const sha256 = digest(bytes);
    yield* Effect.retry(store(scope, sha256, bytes), { times: attempts, while: Fault.isAbsent });
    return sha256;
  }, Effect.uninterruptible);

  /** Fails with `ENOENT` when the scope is removed at the same time. */
  const store = Effect.fnUntraced(function* (scope: string, sha256: Sha256, bytes: Uint8Array) {
    const folder = yield* folders.makeDurable(RunLayout.blobFolder(scope));
    const path = nodePath.join(folder, sha256);
    // What is there may have been damaged since: only equal bytes are left as they are.
    const present = yield* Fault.attempt("blob.put", () => holds(disk, path, bytes));
    if (!present) {
      const temporary = yield* Files.writeTemporaryDurable(disk, folder, bytes, "blob.put");
      yield* Effect.tapError(
        Fault.attempt("blob.put", () => disk.rename(temporary, path)),
        () => Effect.sync(() => Files.discard(disk, temporary)),
      );
    }
    // Also when it was there: whoever wrote it may not have come to this point.
    yield* Fault.attemptAsync("blob.put", (done) => disk.syncDirectory(folder, done));
  });

  const pathOf = (scope: string, sha256: Sha256): string | undefined =>
    RunLayout.isSegment(scope) && isDigest(sha256)
      ? Fault.orAbsent(() => nodePath.join(folders.verify(RunLayout.blobFolder(scope)), sha256), undefined)
      : undefined;

  const get = Effect.fn("FileBlobStore.get")(function* (scope: string, sha256: Sha256) {
    const path = yield* Fault.attempt("blob.get", () => pathOf(scope, sha256));
    if (path === undefined) return yield* notFound(scope, sha256);
    const bytes = yield* Fault.attempt("blob.get", () => Fault.orAbsent(() => Files.read(disk, path), undefined));
    if (bytes === undefined) return yield* notFound(scope, sha256);
    if (digest(bytes) === sha256) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    const detail = "the bytes do not have the digest that names them";
    return yield* new Corrupt({ entity: "blob", id: `${scope}/${sha256}`, detail, path });
  });

  const stat = Effect.fn("FileBlobStore.stat")(function* (scope: string, sha256: Sha256) {
    const found = yield* Fault.attempt("blob.stat", () => {
      const path = pathOf(scope, sha256);
      return path === undefined ? undefined : statOf(disk, path, sha256);
    });
    return found ?? (yield* notFound(scope, sha256));
  });

  const list = Effect.fn("FileBlobStore.list")(function* (scope: string) {
    if (!RunLayout.isSegment(scope)) return [];
    return yield* Fault.attempt("blob.list", () =>
      Fault.orAbsent(() => {
        const folder = folders.verify(RunLayout.blobFolder(scope));
        return disk
          .names(folder)
          .filter(isDigest)
          .toSorted()
          .flatMap((sha256) => statOf(disk, nodePath.join(folder, sha256), sha256) ?? []);
      }, []),
    );
  });

  const scopes = Fault.attempt("blob.scopes", () =>
    Fault.orAbsent(() => {
      const folder = folders.verify(RunLayout.blobsFolder);
      const names = disk.names(folder).filter(RunLayout.isSegment);
      return names.filter((name) => holdsBlob(disk, folder, name)).toSorted();
    }, []),
  ).pipe(Effect.withSpan("FileBlobStore.scopes"));

  const remove = Effect.fn("FileBlobStore.remove")(function* (scope: string, sha256: Sha256) {
    const operation = "blob.remove";
    const removed = yield* Fault.attempt(operation, () => {
      const path = pathOf(scope, sha256);
      return path !== undefined && Files.removeIfThere(disk, path) ? path : undefined;
    });
    if (removed === undefined) return;
    yield* Fault.attemptAsync(operation, (done) => disk.syncDirectory(nodePath.dirname(removed), done));
  }, Effect.uninterruptible);

  const removeScope = Effect.fn("FileBlobStore.removeScope")(function* (scope: string) {
    if (!RunLayout.isSegment(scope)) return;
    const folder = folders.path(RunLayout.blobFolder(scope));
    const removed = yield* Fault.attempt("blob.removeScope", () =>
      Fault.orAbsent(() => emptyFolder(disk, folders.verify(RunLayout.blobFolder(scope))), false),
    );
    if (!removed) return;
    yield* Fault.attemptAsync("blob.removeScope", (done) => disk.syncDirectory(nodePath.dirname(folder), done));
  }, Effect.uninterruptible);

  return BlobStore.BlobStore.of({ put, get, stat, list, scopes, remove, removeScope });
};

/** BlobStore on files. */
export const layer = (options: Options): Layer.Layer<BlobStore.BlobStore> =>
  Layer.sync(BlobStore.BlobStore, () => make(options));

const attempts = 3;

const isDigest = (name: string): name is Sha256 => /^[0-9a-f]{64}$/.test(name);

const digest = (bytes: Uint8Array): Sha256 => {
  const sha256 = crypto.createHash("sha256").update(bytes).digest("hex");
  if (!isDigest(sha256)) throw new Error("a SHA-256 has 64 hex digits");
  return sha256;
};

const notFound = (scope: string, sha256: string): NotFound =>
  new NotFound({ entity: "blob", id: `${scope}/${sha256}` });

const holds = (disk: Disk.Disk, path: string, bytes: Uint8Array): boolean => {
  const entry = disk.entry(path);
  if (entry?.kind !== "file" || entry.size !== bytes.length) return false;
  return Fault.orAbsent(() => Files.read(disk, path).equals(bytes), false);
};

const statOf = (disk: Disk.Disk, path: string, sha256: Sha256): BlobStore.BlobStat | undefined => {
  const entry = disk.entry(path);
  return entry?.kind === "file" ? { sha256, bytes: entry.size } : undefined;
};

/** A scope that is removed meanwhile holds none. */
const holdsBlob = (disk: Disk.Disk, folder: string, scope: string): boolean => {
  const path = nodePath.join(folder, scope);
  if (disk.entry(path)?.kind !== "directory") return false;
  return Fault.orAbsent(() => disk.names(path), []).some(isDigest);
};

/** Removes the files of a folder and the folder; true when there was one. */
const emptyFolder = (disk: Disk.Disk, folder: string): boolean => {
  for (const name of disk.names(folder)) Files.removeIfThere(disk, nodePath.join(folder, name));
  disk.removeDirectory(folder);
  return true;
};
