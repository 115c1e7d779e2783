/**
 * DocumentStore on files: `documents/<collection>/<id>.json`, each `{"revision", "life", "value"}`.
 *
 * Owns compare-and-set between processes without a lock, so that none can be left behind. Does not own what a document
 * means.
 *
 * THE SCHEME. A put writes its revision n into a temporary file, synced. Revision 1 is decided by giving that file the
 * document's name, which only one link can have. A later revision n is decided by giving it the name
 * `.revisions/<id>.<life>.<n>`: whoever gets it has won, and that link is the moment of commit. The file then also
 * replaces `<id>.json`. A crash in between leaves `<id>.json` behind, so a reader goes on from it to the next revision's
 * name as long as there is one. `life` is drawn when a document is made: names of a removed document mean nothing to a
 * later one. Old names are kept for ten minutes, far longer than a process takes from one step of a put to the next:
 * a name that is still there cannot be won by somebody who read an old revision.
 */
import * as DocumentStore from "@cahier/ports/DocumentStore";
import { Conflict, Corrupt, NotFound, Unavailable } from "@cahier/ports/StorageFault";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Schema from "effect/Schema";
import * as crypto from "node:crypto";
import * as nodePath from "node:path";
import type * as Disk from "./Disk.ts";
import * as DocumentFile from "./internal/DocumentFile.ts";
import * as Fault from "./internal/fault.ts";
import * as Files from "./internal/Files.ts";
import * as Folders from "./internal/Folders.ts";
import * as RunLayout from "./internal/RunLayout.ts";
import * as NodeDisk from "./NodeDisk.ts";

/** The data folder, and the disk that holds it (default: this machine's). */
export type Options = Folders.Options;

/** A document store over a data folder. */
export const make = (options: Options): DocumentStore.DocumentStore["Service"] => {
  const disk = options.disk ?? NodeDisk.make();
  const folders = Folders.make(disk, options.directory);

  const present = (collection: string, id: string): DocumentFile.Found =>
    Fault.orAbsent(() => DocumentFile.find(disk, folders.verify(RunLayout.documentFolder(collection)), id), undefined);

  const get = Effect.fn("FileDocumentStore.get")(function* (collection: string, id: string) {
    const found = isName(collection, id)
      ? yield* Fault.attempt("document.get", () => present(collection, id))
      : undefined;
    if (found === undefined) return yield* new NotFound({ entity: "document", id: `${collection}/${id}` });
    if ("detail" in found) return yield* corrupt(collection, id, found);
    return documentOf(id, found);
  });

  const put = Effect.fn("FileDocumentStore.put")(function* (
    collection: string,
    id: string,
    expectedRevision: number,
    value: Schema.Json,
  ) {
    if (!isName(collection, id)) return yield* Fault.invalid(putting, "a collection or an id has a forbidden form");
    return yield* Effect.retry(putOnce(collection, id, expectedRevision, value), { times: attempts, while: isGone });
  }, Effect.uninterruptible);

  /** Fails with `ENOENT` when the collection's folder is removed at the same time. */
  const putOnce = Effect.fnUntraced(function* (
    collection: string,
    id: string,
    expectedRevision: number,
    value: Schema.Json,
  ) {
    const found = yield* Fault.attempt(putting, () => present(collection, id));
    if (found !== undefined && "detail" in found) return yield* corrupt(collection, id, found);
    const actual = found?.revision ?? 0;
    if (actual !== expectedRevision) return yield* conflict(collection, id, expectedRevision, actual);
    const revision = expectedRevision + 1;
    const life = found?.life ?? crypto.randomBytes(8).toString("hex");
    const bytes = DocumentFile.encode({ revision, life, value });
    if (bytes === undefined) return yield* Fault.invalid(putting, "the value has no JSON form");
    const folder = yield* folders.makeDurable(RunLayout.documentFolder(collection));
    const won = yield* revision === 1
      ? create(folder, id, bytes)
      : replace(folder, collection, id, life, revision, bytes);
    if (won) return revision;
    const winner = yield* Fault.attempt(putting, () => present(collection, id));
    const winning = winner === undefined || "detail" in winner ? 0 : winner.revision;
    return yield* conflict(collection, id, expectedRevision, winning);
  });

  /** Gives a file the document's name; false when the document is there already. */
  const create = Effect.fnUntraced(function* (folder: string, id: string, bytes: Uint8Array) {
    const temporary = yield* Files.writeTemporaryDurable(disk, folder, bytes, putting);
    const won = yield* linked(temporary, nodePath.join(folder, DocumentFile.nameOf(id))).pipe(
      Effect.ensuring(Effect.sync(() => Files.discard(disk, temporary))),
    );
    if (won) yield* Fault.attemptAsync(putting, (done) => disk.syncDirectory(folder, done));
    return won;
  });

  /** Gives a file the revision's name, then the document's; false when the revision is taken. */
  const replace = Effect.fnUntraced(function* (
    folder: string,
    collection: string,
    id: string,
    life: string,
    revision: number,
    bytes: Uint8Array,
  ) {
    const revisions = yield* folders.makeDurable([
      ...RunLayout.documentFolder(collection),
      DocumentFile.revisionsFolder,
    ]);
    const temporary = yield* Files.writeTemporaryDurable(disk, folder, bytes, putting);
    const won = yield* Fault.attempt(putting, () => {
      const name = nodePath.join(revisions, DocumentFile.revisionName(id, life, revision));
      if (!takes(disk, temporary, name)) return false;
      disk.rename(temporary, nodePath.join(folder, DocumentFile.nameOf(id)));
      return true;
    }).pipe(Effect.ensuring(Effect.sync(() => Files.discard(disk, temporary))));
    if (!won) return false;
    yield* Fault.attemptAsync(putting, (done) => disk.syncDirectory(revisions, done));
    yield* Fault.attemptAsync(putting, (done) => disk.syncDirectory(folder, done));
    if (revision % sweepEvery === 0) yield* sweep(revisions, id, revision);
    return true;
  });

  const linked = (from: string, to: string) => Fault.attempt(putting, () => takes(disk, from, to));

  /** Removes the names of old revisions. One that cannot be removed does no harm. */
  const sweep = Effect.fnUntraced(function* (revisions: string, id: string, revision: number) {
    const oldest = (yield* Clock.currentTimeMillis) - keepMilliseconds;
    yield* Effect.ignore(
      Fault.attempt(putting, () => {
        for (const name of disk.names(revisions)) {
          const named = DocumentFile.revisionOf(name, id);
          if (named === undefined || named.revision >= revision) continue;
          const path = nodePath.join(revisions, name);
          if ((disk.entry(path)?.modified ?? oldest) < oldest) Files.removeIfThere(disk, path);
        }
      }),
    );
  });

  const list = Effect.fn("FileDocumentStore.list")(function* (collection: string) {
    const documents: Array<DocumentStore.Document> = [];
    const damaged: Array<Corrupt> = [];
    if (!isCollection(collection)) return { documents, damaged };
    yield* Fault.attempt("document.list", () => {
      const names = Fault.orAbsent(() => disk.names(folders.verify(RunLayout.documentFolder(collection))), []);
      for (const id of names.flatMap((name) => DocumentFile.idOf(name) ?? []).toSorted()) {
        const found = present(collection, id);
        if (found === undefined) continue;
        if ("detail" in found) damaged.push(corrupt(collection, id, found));
        else documents.push(documentOf(id, found));
      }
    });
    return { documents, damaged };
  });

  /** The names of a folder's documents and folders; none for one that is not there. */
  const inside = (segments: ReadonlyArray<string>) => {
    const folder = Fault.orAbsent(() => folders.verify(segments), undefined);
    const names = folder === undefined ? [] : Fault.orAbsent(() => disk.names(folder), []);
    return {
      hasDocument: names.some((name) => DocumentFile.idOf(name) !== undefined),
      folders: names
        .filter(RunLayout.isSegment)
        .filter((name) => disk.entry(nodePath.join(folders.path(segments), name))?.kind === "directory"),
    };
  };

  const collections = Fault.attempt("document.collections", () =>
    inside(RunLayout.documentsFolder)
      .folders.flatMap((name) => {
        const { folders: below, hasDocument } = inside(RunLayout.documentFolder(name));
        const nested = below.map((one) => `${name}/${one}`);
        const filled = nested.filter((one) => inside(RunLayout.documentFolder(one)).hasDocument);
        return hasDocument ? [name, ...filled] : filled;
      })
      .toSorted(),
  ).pipe(Effect.withSpan("FileDocumentStore.collections"));

  const remove = Effect.fn("FileDocumentStore.remove")(function* (collection: string, id: string) {
    if (!isName(collection, id)) return;
    const folder = folders.path(RunLayout.documentFolder(collection));
    const found = yield* Fault.attempt("document.remove", () => present(collection, id));
    if (found === undefined) return;
    yield* Fault.attempt("document.remove", () =>
      Files.removeIfThere(disk, nodePath.join(folder, DocumentFile.nameOf(id))),
    );
    yield* Fault.attemptAsync("document.remove", (done) => disk.syncDirectory(folder, done));
    if (!("detail" in found)) {
      yield* Fault.attempt("document.remove", () => removeRevisions(disk, folder, id, found.life));
    }
    // What is only for one thing, as the inbox of a run, goes with its last document.
    if (collection.includes("/")) yield* Fault.attempt("document.remove", () => removeEmpty(disk, folder));
  }, Effect.uninterruptible);

  return DocumentStore.DocumentStore.of({ get, put, list, collections, remove });
};

/** DocumentStore on files. */
export const layer = (options: Options): Layer.Layer<DocumentStore.DocumentStore> =>
  Layer.sync(DocumentStore.DocumentStore, () => make(options));

const putting = "document.put";
const attempts = 3;
const sweepEvery = 32;
const keepMilliseconds = 600_000;

const isCollection = (collection: string): boolean => {
  const segments = collection.split("/");
  return segments.length <= 2 && segments.every(RunLayout.isSegment);
};

const isName = (collection: string, id: string): boolean => isCollection(collection) && RunLayout.isSegment(id);

const isGone = (fault: unknown): boolean => fault instanceof Unavailable && Fault.isAbsent(fault);

/** Removes a collection's folder unless something is in it; a put that comes at the same time makes it anew. */
const removeEmpty = (disk: Disk.Disk, folder: string): void => {
  Folders.removeUnlessFilled(disk, nodePath.join(folder, DocumentFile.revisionsFolder));
  Folders.removeUnlessFilled(disk, folder);
};

const documentOf = (id: string, { revision, value }: DocumentFile.Stored): DocumentStore.Document => ({
  id,
  revision,
  value,
});

const conflict = (collection: string, id: string, expected: number, actual: number): Conflict =>
  new Conflict({ entity: "document", id: `${collection}/${id}`, expected, actual });

const corrupt = (collection: string, id: string, { detail, path }: DocumentFile.Damaged): Corrupt =>
  new Corrupt({ entity: "document", id: `${collection}/${id}`, detail, path });

/** Gives a file a second name; false when the name is taken. */
const takes = (disk: Disk.Disk, from: string, to: string): boolean => {
  if (disk.entry(to) !== undefined) return false;
  return Fault.unlessTaken(() => disk.link(from, to));
};

/** Of one life only: the document may have been made again meanwhile. */
const removeRevisions = (disk: Disk.Disk, folder: string, id: string, life: string): void => {
  const revisions = nodePath.join(folder, DocumentFile.revisionsFolder);
  for (const name of Fault.orAbsent(() => disk.names(revisions), [])) {
    if (DocumentFile.revisionOf(name, id)?.life === life) Files.removeIfThere(disk, nodePath.join(revisions, name));
  }
};
