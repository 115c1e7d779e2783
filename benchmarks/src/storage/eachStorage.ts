/**
 * Every kind of storage that this machine has, one after the other.
 */
import * as PostgresServer from "@cahier/postgres-server/PostgresServer";
import type { Unmeasured } from "../measure/Table.ts";
import * as DurableServer from "./DurableServer.ts";
import type { StorageKind } from "./Storage.ts";

/** Files, SQLite, PostgreSQL. The server runs while its turn lasts. */
export function* eachStorage(): Generator<StorageKind> {
  yield { name: "files" };
  yield { name: "SQLite" };
  if (PostgresServer.isLacking) return;
  using server = DurableServer.start();
  yield { name: "PostgreSQL", server };
}

/** The rows of the storages that this machine does not have. */
export const lacking: ReadonlyArray<Unmeasured> = PostgresServer.isLacking
  ? [{ what: `PostgreSQL${PostgresServer.reason}` }]
  : [];
