/**
 * DocumentStore in a table: compare-and-set in the statement that writes.
 *
 * Owns revisions and that a damaged document is never replaced. Does not own what a document means.
 */
import * as DocumentStore from "@cahier/ports/DocumentStore";
import { Conflict, Corrupt, NotFound } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Schema from "effect/Schema";
import type { Database, Row } from "./internal/Dialect.ts";
import { json, parseJson } from "./internal/EventBody.ts";
import * as Fault from "./internal/fault.ts";
import { isCollection, isSegment } from "./internal/names.ts";
import { SqlDatabase } from "./SqlDatabase.ts";

/** A document store over an open database. */
export const make = (database: Database): DocumentStore.DocumentStore["Service"] => {
  const texts = statements(database);

  const find = Effect.fnUntraced(function* (operation: string, collection: string, id: string) {
    if (!isName(collection, id)) return undefined;
    const [row] = yield* Fault.malformedAsCorrupt(
      "document",
      `${collection}/${id}`,
    )(database.query(operation, texts.get, [collection, id]));
    if (row === undefined) return undefined;
    return documentOf(id, row) ?? (yield* damaged(collection, id));
  });

  const get = Effect.fn("SqlDocumentStore.get")(function* (collection: string, id: string) {
    const found = yield* find("document.get", collection, id);
    return found ?? (yield* new NotFound({ entity: "document", id: `${collection}/${id}` }));
  });

  const put = Effect.fn("SqlDocumentStore.put")(function* (
    collection: string,
    id: string,
    expectedRevision: number,
    value: Schema.Json,
  ) {
    if (!isName(collection, id)) return yield* Fault.invalid(putting, "a collection or an id has a forbidden form");
    const text = json(value);
    if (text === undefined) return yield* Fault.invalid(putting, "the value has no JSON form");
    const [guard, values] =
      expectedRevision === 0
        ? [texts.create, [collection, id, text]]
        : [texts.replace, [collection, id, text, expectedRevision]];
    const [row] = yield* Fault.malformedAsCorrupt(
      "document",
      `${collection}/${id}`,
    )(database.write(putting, { guard, values, inserts: [] }));
    if (row !== undefined) return Number(row["revision"]);
    const actual = (yield* find(putting, collection, id))?.revision ?? 0;
    return yield* new Conflict({ entity: "document", id: `${collection}/${id}`, expected: expectedRevision, actual });
  }, Effect.uninterruptible);

  const list = Effect.fn("SqlDocumentStore.list")(function* (collection: string) {
    const rows = isCollection(collection) ? yield* database.query("document.list", texts.list, [collection]) : [];
    const found = rows.map((row) => ({ id: String(row["id"]), document: documentOf(String(row["id"]), row) }));
    return {
      documents: found.flatMap(({ document }) => document ?? []),
      damaged: found.flatMap(({ document, id }) => (document === undefined ? [damaged(collection, id)] : [])),
    };
  });

  const collections = Effect.map(database.query("document.collections", texts.collections, []), (rows) =>
    rows.map((row) => String(row["collection"])),
  ).pipe(Effect.withSpan("SqlDocumentStore.collections"));

  const remove = Effect.fn("SqlDocumentStore.remove")(function* (collection: string, id: string) {
    if (!isName(collection, id)) return;
    yield* database.write("document.remove", { guard: texts.remove, values: [collection, id], inserts: [] });
  }, Effect.uninterruptible);

  return DocumentStore.DocumentStore.of({ get, put, list, collections, remove });
};

/** DocumentStore in a database. */
export const layer: Layer.Layer<DocumentStore.DocumentStore, never, SqlDatabase> = Layer.effect(
  DocumentStore.DocumentStore,
  Effect.map(SqlDatabase, make),
);

const putting = "document.put";

const isName = (collection: string, id: string): boolean => isCollection(collection) && isSegment(id);

/** The document of a row; undefined for a damaged one. */
const documentOf = (id: string, row: Row): DocumentStore.Document | undefined => {
  if (row["whole"] !== 1) return undefined;
  const value = parseJson(row["value"]);
  return value === undefined ? undefined : { id, revision: Number(row["revision"]), value: value as Schema.Json };
};

const damaged = (collection: string, id: string): Corrupt =>
  new Corrupt({ entity: "document", id: `${collection}/${id}`, detail: "the stored document was changed" });

const statements = ({ dialect }: Database) => {
  const isWhole = `checksum = ${dialect.checksum(["revision"], "value")}`;
  const columns = `id, revision, value, CASE WHEN ${isWhole} THEN 1 ELSE 0 END AS whole`;
  const value = "CAST($3 AS TEXT)";
  return {
    get: `SELECT ${columns} FROM cahier_document WHERE collection = $1 AND id = $2`,
    list: `SELECT ${columns} FROM cahier_document WHERE collection = $1 ORDER BY id`,
    /** One look in the index for each collection. */
    collections: `WITH RECURSIVE one (collection) AS (
        SELECT min(collection) FROM cahier_document
        UNION ALL SELECT (SELECT min(collection) FROM cahier_document WHERE collection > one.collection)
          FROM one WHERE one.collection IS NOT NULL
      ) SELECT collection FROM one WHERE collection IS NOT NULL ORDER BY collection`,
    create: `INSERT INTO cahier_document (collection, id, revision, value, checksum)
      VALUES ($1, $2, 1, ${value}, ${dialect.checksum(["1"], value)}) ON CONFLICT DO NOTHING RETURNING revision`,
    replace: `UPDATE cahier_document
      SET revision = revision + 1, value = ${value}, checksum = ${dialect.checksum(["revision + 1"], value)}
      WHERE collection = $1 AND id = $2 AND revision = $4 AND ${isWhole} RETURNING revision`,
    remove: "DELETE FROM cahier_document WHERE collection = $1 AND id = $2",
  };
};
