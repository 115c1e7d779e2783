/**
 * The shared laws of the three ports, on SQLite in memory, on SQLite in a file, and on a PostgreSQL server.
 */
import * as SqlDatabase from "@cahier/storage-sql/SqlDatabase";
import { afterAll, describe } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as nodePath from "node:path";
import * as Harness from "./Harness.ts";
import * as PostgresServer from "@cahier/postgres-server/PostgresServer";
import * as RealDirectory from "./RealDirectory.ts";

Harness.verify(
  "SQLite in memory",
  // A database in memory is there for one connection, which all views share.
  Effect.map(SqlDatabase.sqlite({ filename: ":memory:" }), (database) => Effect.succeed(database)),
);

Harness.verify(
  "SQLite in a file",
  Effect.map(RealDirectory.make, (directory) =>
    SqlDatabase.sqlite({ filename: nodePath.join(directory, "cahier.sqlite") }),
  ),
);

const server = PostgresServer.lazy();
afterAll(server.stop);

describe.skipIf(PostgresServer.isLacking)(`a PostgreSQL server${PostgresServer.reason}`, () => {
  Harness.verify(
    "PostgreSQL",
    Effect.sync(() => SqlDatabase.postgres({ url: server.urlOf(server.freshSchema()) })),
  );
});
