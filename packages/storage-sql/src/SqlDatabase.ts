/**
 * The database that the adapters of this package share: opened, its tables set up, closed with its scope.
 *
 * Owns which databases there are. Does not own what is stored in them.
 */
import type { Unavailable } from "@cahier/ports/StorageFault";
import * as PgClient from "@effect/sql-pg/PgClient";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Reactivity from "effect/reactivity/Reactivity";
import * as Redacted from "effect/Redacted";
import type * as Scope from "effect/Scope";
import type { Database } from "./internal/Dialect.ts";
import * as Fault from "./internal/fault.ts";
import * as Postgres from "./internal/postgres.ts";
import * as Sqlite from "./internal/sqlite.ts";
import * as Tables from "./internal/tables.ts";
import * as SqliteClient from "./SqliteClient.ts";
import type { VersionUnsupported } from "./VersionUnsupported.ts";

/** Why a database cannot be used. */
export type OpenFault = Unavailable | VersionUnsupported;

/**
 * `url` is `postgres://user:password@host:port/database`, of the server itself or of a pooler that keeps sessions:
 * settings and messages belong to a session. `maxConnections` is 10 by default.
 */
export interface PostgresOptions {
  readonly url: Redacted.Redacted | string;
  readonly maxConnections?: number;
}

export class SqlDatabase extends Context.Service<SqlDatabase, Database>()("@cahier/storage-sql/SqlDatabase") {}

/** A database in a file, or in memory. Its folder and its tables are made when they are not there. */
export const sqlite = Effect.fn("SqlDatabase.sqlite")(function* (
  options: SqliteClient.Options,
): Effect.fn.Return<Database, OpenFault, Scope.Scope> {
  const client = yield* SqliteClient.make(options).pipe(
    Effect.provide(Reactivity.layer),
    Effect.mapError((error) => Fault.unavailable(opening, error)),
  );
  const database = yield* Sqlite.make(client);
  yield* Tables.setUp(database);
  return database;
});

/** A database of a server; its tables are made in the connection's schema when they are not there. */
export const postgres = Effect.fn("SqlDatabase.postgres")(function* (
  options: PostgresOptions,
): Effect.fn.Return<Database, OpenFault, Scope.Scope> {
  const { maxConnections = 10, url } = options;
  const client = yield* PgClient.make({
    url: typeof url === "string" ? Redacted.make(url) : url,
    maxConnections,
    maxMessageSize: largestMessage,
    applicationName: "cahier",
    startupParameters: settings,
  }).pipe(
    Effect.provide(Reactivity.layer),
    Effect.mapError((error) => Fault.unavailable(opening, error)),
  );
  const database = yield* Postgres.make(client);
  const [encoding] = yield* database.query(opening, "SHOW server_encoding", []);
  if (encoding?.["server_encoding"] !== "UTF8") {
    return yield* Fault.invalid(opening, "the database's encoding is not UTF8: make one with ENCODING 'UTF8'");
  }
  yield* Tables.setUp(database);
  return database;
});

export const layerSqlite = (options: SqliteClient.Options): Layer.Layer<SqlDatabase, OpenFault> =>
  Layer.effect(SqlDatabase, sqlite(options));

export const layerPostgres = (options: PostgresOptions): Layer.Layer<SqlDatabase, OpenFault> =>
  Layer.effect(SqlDatabase, postgres(options));

const opening = "database.open";

/**
 * What returns is on the server's disk, and a guard that has lost a race finds no row, whatever the server's defaults are.
 * Each statement goes through a primary key, so it is planned once, and never by what the server believes of a table
 * that has just grown; compiling it would take longer than it runs.
 */
const settings = {
  synchronous_commit: "on",
  default_transaction_isolation: "read committed",
  plan_cache_mode: "force_generic_plan",
  enable_bitmapscan: "off",
  enable_seqscan: "off",
  jit: "off",
};

/** PostgreSQL's own limit of one value. */
const largestMessage = 1_073_741_823;
