/**
 * The storage ports in one SQL database.
 *
 * Owns nothing but the sum; see each adapter for its tables.
 */
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Layer from "effect/Layer";
import * as SqlBlobStore from "./SqlBlobStore.ts";
import * as SqlDatabase from "./SqlDatabase.ts";
import * as SqlDocumentStore from "./SqlDocumentStore.ts";
import type * as SqliteClient from "./SqliteClient.ts";
import * as SqlRunJournal from "./SqlRunJournal.ts";

/** RunJournal, BlobStore and DocumentStore over a database that is open. */
export const layer: Layer.Layer<RunJournal | BlobStore | DocumentStore, never, SqlDatabase.SqlDatabase> =
  Layer.mergeAll(SqlRunJournal.layer, SqlBlobStore.layer, SqlDocumentStore.layer);

/** The same over an SQLite file, which is made when it is not there. */
export const layerSqlite = (
  options: SqliteClient.Options,
): Layer.Layer<RunJournal | BlobStore | DocumentStore, SqlDatabase.OpenFault> =>
  Layer.provide(layer, SqlDatabase.layerSqlite(options));

/** The same over a PostgreSQL server. */
export const layerPostgres = (
  options: SqlDatabase.PostgresOptions,
): Layer.Layer<RunJournal | BlobStore | DocumentStore, SqlDatabase.OpenFault> =>
  Layer.provide(layer, SqlDatabase.layerPostgres(options));
