/**
 * BlobStore in a table: bytes by scope and SHA-256.
 *
 * Owns that a blob is whole and under its own digest. Does not own which blobs are needed.
 */
import type { Sha256 } from "@cahier/domain/payload/Sha256";
import * as BlobStore from "@cahier/ports/BlobStore";
import { Corrupt, NotFound } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as crypto from "node:crypto";
import type { Database } from "./internal/Dialect.ts";
import * as Fault from "./internal/fault.ts";
import { isSegment } from "./internal/names.ts";
import { SqlDatabase } from "./SqlDatabase.ts";

/** A blob store over an open database. */
export const make = (database: Database): BlobStore.BlobStore["Service"] => {
  const put = Effect.fn("SqlBlobStore.put")(function* (scope: string, bytes: Uint8Array) {
    if (!isSegment(scope)) return yield* Fault.invalid("blob.put", "a scope is one path segment");
    const sha256 = digest(bytes);
    yield* database.write("blob.put", { guard: storing, values: [scope, sha256, bytes], inserts: [] });
    return sha256;
  }, Effect.uninterruptible);

  const find = Effect.fnUntraced(function* (operation: string, text: string, scope: string, sha256: Sha256) {
    const known = isSegment(scope) && isDigest(sha256);
    const rows = known ? yield* database.query(operation, text, [scope, sha256]) : [];
    return rows[0] ?? (yield* new NotFound({ entity: "blob", id: `${scope}/${sha256}` }));
  });

  const get = Effect.fn("SqlBlobStore.get")(function* (scope: string, sha256: Sha256) {
    const id = `${scope}/${sha256}`;
    const row = yield* Fault.malformedAsCorrupt("blob", id)(find("blob.get", getting, scope, sha256));
    const bytes = row["bytes"];
    if (bytes instanceof Uint8Array && digest(bytes) === sha256) return new Uint8Array(bytes);
    const detail = "the bytes do not have the digest that names them";
    return yield* new Corrupt({ entity: "blob", id, detail });
  });

  const stat = Effect.fn("SqlBlobStore.stat")(function* (scope: string, sha256: Sha256) {
    const row = yield* find("blob.stat", measuring, scope, sha256);
    return { sha256, bytes: Number(row["length"]) };
  });

  const list = Effect.fn("SqlBlobStore.list")(function* (scope: string) {
    if (!isSegment(scope)) return [];
    const rows = yield* database.query("blob.list", listing, [scope]);
    return rows.flatMap((row) => {
      const sha256 = String(row["sha256"]);
      return isDigest(sha256) ? [{ sha256, bytes: Number(row["length"]) }] : [];
    });
  });

  const scopes = Effect.map(database.query("blob.scopes", listingScopes, []), (rows) =>
    rows.map((row) => String(row["scope"])),
  ).pipe(Effect.withSpan("SqlBlobStore.scopes"));

  const remove = Effect.fn("SqlBlobStore.remove")(function* (scope: string, sha256: Sha256) {
    if (!isSegment(scope) || !isDigest(sha256)) return;
    yield* database.write("blob.remove", { guard: removingOne, values: [scope, sha256], inserts: [] });
  }, Effect.uninterruptible);

  const removeScope = Effect.fn("SqlBlobStore.removeScope")(function* (scope: string) {
    if (!isSegment(scope)) return;
    yield* database.write("blob.removeScope", { guard: removing, values: [scope], inserts: [] });
  }, Effect.uninterruptible);

  return BlobStore.BlobStore.of({ put, get, stat, list, scopes, remove, removeScope });
};

/** BlobStore in a database. */
export const layer: Layer.Layer<BlobStore.BlobStore, never, SqlDatabase> = Layer.effect(
  BlobStore.BlobStore,
  Effect.map(SqlDatabase, make),
);

/** What is there may have been damaged since: only equal bytes are left as they are. */
const storing = `INSERT INTO cahier_blob (scope, sha256, bytes) VALUES ($1, $2, $3)
  ON CONFLICT (scope, sha256) DO UPDATE SET bytes = excluded.bytes WHERE cahier_blob.bytes <> excluded.bytes`;
const getting = "SELECT bytes FROM cahier_blob WHERE scope = $1 AND sha256 = $2";
const measuring = "SELECT length(bytes) AS length FROM cahier_blob WHERE scope = $1 AND sha256 = $2";
const listing = "SELECT sha256, length(bytes) AS length FROM cahier_blob WHERE scope = $1 ORDER BY sha256";
/** One look in the index for each scope, however many blobs it has. */
const listingScopes = `WITH RECURSIVE one (scope) AS (
    SELECT min(scope) FROM cahier_blob
    UNION ALL SELECT (SELECT min(scope) FROM cahier_blob WHERE scope > one.scope) FROM one WHERE one.scope IS NOT NULL
  ) SELECT scope FROM one WHERE scope IS NOT NULL ORDER BY scope`;
const removingOne = "DELETE FROM cahier_blob WHERE scope = $1 AND sha256 = $2";
const removing = "DELETE FROM cahier_blob WHERE scope = $1";

const isDigest = (name: string): name is Sha256 => /^[0-9a-f]{64}$/.test(name);

const digest = (bytes: Uint8Array): Sha256 => {
  const sha256 = crypto.hash("sha256", bytes, "hex");
  if (!isDigest(sha256)) throw new Error("a SHA-256 has 64 hex digits");
  return sha256;
};
