/**
 * The storages that are measured, each fresh and of its own: a data folder, an SQLite file, a schema of a PostgreSQL
 * server.
 */
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as FileBlobStore from "@cahier/storage-file/FileBlobStore";
import * as FileDocumentStore from "@cahier/storage-file/FileDocumentStore";
import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import * as SqlStorage from "@cahier/storage-sql/SqlStorage";
import * as Layer from "effect/Layer";
import * as path from "node:path";
import { bytesBelow } from "../measure/folder.ts";
import type { DurableServer } from "./DurableServer.ts";

/** `server` is where a schema is made; whoever started it stops it. */
export type StorageKind =
  | { readonly name: "files" }
  | { readonly name: "SQLite" }
  | { readonly name: "PostgreSQL"; readonly server: DurableServer };

/** Where everything lies. */
export type Place =
  | { readonly kind: "folder"; readonly data: string }
  | { readonly kind: "file"; readonly filename: string }
  | { readonly kind: "server"; readonly url: string };

export interface Storage {
  readonly layer: Layer.Layer<RunJournal | BlobStore | DocumentStore>;
  readonly place: Place;
  /** Everything that is stored, indexes too, in bytes; what was never closed counts as it lies there. */
  readonly bytes: () => number;
}

/** A fresh storage; what lies in files lies below `folder`. One that cannot be opened is a defect of the benchmark. */
export const make = (kind: StorageKind, folder: string): Storage => {
  const data = path.join(folder, "data");
  switch (kind.name) {
    case "files":
      return { layer: files(data), place: { kind: "folder", data }, bytes: () => bytesBelow(data) };
    case "SQLite": {
      const filename = path.join(data, "cahier.sqlite");
      const layer = Layer.orDie(SqlStorage.layerSqlite({ filename }));
      return { layer, place: { kind: "file", filename }, bytes: () => bytesBelow(data) };
    }
    case "PostgreSQL": {
      const schema = kind.server.freshSchema();
      const url = kind.server.urlOf(schema);
      const layer = Layer.orDie(SqlStorage.layerPostgres({ url }));
      return { layer, place: { kind: "server", url }, bytes: () => kind.server.bytesOf(schema) };
    }
    default:
      return kind satisfies never;
  }
};

/** The readable mirror is left out: it is optional, and made once at a run's end. */
const files = (directory: string): Storage["layer"] =>
  Layer.mergeAll(
    FileRunJournal.layer({ directory }),
    FileBlobStore.layer({ directory }),
    FileDocumentStore.layer({ directory }),
  );
