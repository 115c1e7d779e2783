/**
 * Looking after a database: whether its pages are whole, what was left over in it, and space that nothing uses.
 *
 * Owns what both kinds of database can tell. Does not own when to do something about it.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import type { Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import type { Database } from "./internal/Dialect.ts";
import * as Fault from "./internal/fault.ts";
import * as Restoration from "./internal/Restoration.ts";
import * as RunStatements from "./internal/RunStatements.ts";

/**
 * What is wrong with the database's own pages, in its words; empty when nothing is. SQLite reads its whole file for it.
 * PostgreSQL checks pages when they are read, and gives nothing here.
 */
export const check = Effect.fn("SqlMaintenance.check")(function* (
  database: Database,
): Effect.fn.Return<ReadonlyArray<string>, Unavailable> {
  const { dialect } = database;
  if (dialect.checkPages === undefined) return [];
  const rows = database
    .query("database.check", dialect.checkPages, [])
    .pipe(Effect.map((found) => found.map((row) => String(Object.values(row)[0])).filter((line) => line !== "ok")));
  // Damage may be such that the check itself cannot go on.
  return yield* Effect.catchTag(Fault.malformedAsCorrupt("database", "pages")(rows), "Corrupt", ({ detail }) =>
    Effect.succeed([detail]),
  );
});

/** A run whose restoring was stopped: its events are stored and belong to nothing. */
export interface Leftover {
  /** The run that it would have been; it may be there all the same, restored later. */
  readonly runId: RunId;
  readonly events: number;
  /** Names it for `remove`. */
  readonly id: string;
}

/** The restores that were stopped, and those that are under way: the database does not tell them apart. */
export const leftovers = Effect.fn("SqlMaintenance.leftovers")(function* (
  database: Database,
): Effect.fn.Return<ReadonlyArray<Leftover>, Unavailable> {
  const texts = RunStatements.make(database.dialect);
  const rows = yield* database.query("database.leftovers", texts.restoring, [
    Restoration.prefix,
    `${Restoration.prefix}~`,
  ]);
  return rows.flatMap((row) => {
    const id = String(row["run_id"]);
    const runId = Restoration.runOf(id);
    return runId === undefined ? [] : [{ runId, events: Number(row["last_seq"]), id }];
  });
});

/** Removes what a stopped restore has left. Idempotent; a restore that is under way fails. */
export const remove = Effect.fn("SqlMaintenance.remove")(function* (database: Database, leftover: Leftover) {
  const texts = RunStatements.make(database.dialect);
  yield* database.transaction("database.removeLeftover", texts.remove, [leftover.id]);
});

/** `freeBytes` are within the file and are used again before it grows; `compact` gives them back. */
export interface Space {
  readonly bytes: number;
  readonly freeBytes: number;
}

/** How large the database is. PostgreSQL looks after its free space itself and reports none. */
export const space = Effect.fn("SqlMaintenance.space")(function* (
  database: Database,
): Effect.fn.Return<Space, Unavailable> {
  const [row] = yield* database.query("database.space", database.dialect.space, []);
  return { bytes: Number(row?.["bytes"]), freeBytes: Number(row?.["free_bytes"]) };
});

/**
 * Gives space back that removed runs have left. On SQLite it writes the file anew, which needs as much space again for
 * the time and keeps every other writer waiting: for a moment when nothing runs. On PostgreSQL it is a plain `VACUUM`.
 */
export const compact = Effect.fn("SqlMaintenance.compact")(function* (database: Database) {
  for (const statement of database.dialect.compact) yield* database.query("database.compact", statement, []);
});
