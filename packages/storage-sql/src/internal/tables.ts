/**
 * The tables of each version, and how a database comes from one version to the next.
 *
 * Owns the form of everything stored. Text is JSON or an id; JSON has no NUL and no lone surrogate of its own, because
 * both are escaped in it, so that PostgreSQL's text holds it too.
 *
 * TABLES.
 *
 *     cahier_schema            one row: the product and the version of the tables
 *     cahier_run               a run; `epoch` is what an append compares and a claim raises; `rest_seq` is the number of its last event when it was claimed or came to rest last, so that no row up to there goes missing unseen
 *     cahier_event             neighbouring events of one append that concern the same invocations, up to 16: `seq` is the first one's number, `events` how many there are, `body` the JSON of all without `seq`, `runId` and `epoch`; `event_key` is made of the run's key and `seq` and orders a run's rows; `checksum` covers all of it
 *     cahier_event_edge        from the event `seq` on, the events belong to or concern the invocation (`inside` 1), or no more (0): the index of filtered pages; always at a row's first event
 *     cahier_blob              bytes by scope and the SHA-256 in hex
 *     cahier_document          `value` is JSON; `checksum` covers revision and value
 */
import type { Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import { VersionUnsupported } from "../VersionUnsupported.ts";
import type { Database, Dialect } from "./Dialect.ts";

/** The version of the tables that this release reads and writes. */
export const supported = 2;

/** Sets up the tables, or brings them to the supported version; a database that is up to date is only read. */
export const setUp = Effect.fnUntraced(function* (
  database: Database,
): Effect.fn.Return<void, Unavailable | VersionUnsupported> {
  const { dialect } = database;
  const tables = (yield* database.query(operation, dialect.tables, [])).map((row) => String(row["name"]));
  const foreign = tables.find(dialect.isForeign);
  if (!tables.includes("cahier_schema")) {
    if (foreign !== undefined) return yield* isForeign(`it has a table ${foreign} and no cahier_schema`);
    yield* database.transaction(operation, beginning(dialect), []);
  }
  const [row] = yield* database.query(operation, "SELECT * FROM cahier_schema", []);
  const found = Number(row?.["version"]);
  if (row?.["product"] !== "cahier" || !Number.isSafeInteger(found)) {
    return yield* isForeign("its table cahier_schema was not made by Cahier");
  }
  if (found > supported) {
    const detail = `The database has tables of version ${found}; this release knows versions up to ${supported}. Use the release that wrote it, or a newer one.`;
    return yield* new VersionUnsupported({ code, kind: "newer", found, supported, detail });
  }
  for (const [from, statements] of steps(dialect).entries()) {
    if (from >= found) yield* database.transaction(operation, [raise, ...statements], [from, from + 1]);
  }
});

const operation = "database.setUp";
const code = "journal.version_unsupported";

const isForeign = (why: string): Effect.Effect<never, VersionUnsupported> => {
  const detail = `The database is not one of Cahier's: ${why}. Name an empty database, or one that Cahier has made.`;
  return Effect.fail(new VersionUnsupported({ code, kind: "foreign", found: 0, supported, detail }));
};

/** Whoever raises the version makes the step; for others there is nothing left to do. */
const raise = "UPDATE cahier_schema SET version = $2 WHERE version = $1 RETURNING version";

/** Version 0: nothing but the table that tells the version. */
const beginning = (dialect: Dialect): ReadonlyArray<string> => [
  ...(dialect.lock === undefined ? [] : [dialect.lock]),
  "CREATE TABLE IF NOT EXISTS cahier_schema (one INTEGER PRIMARY KEY CHECK (one = 1), product TEXT NOT NULL, version INTEGER NOT NULL)",
  "INSERT INTO cahier_schema (one, product, version) VALUES (1, 'cahier', 0) ON CONFLICT DO NOTHING",
];

/** The statements that lead from version n to n + 1. */
const steps = (dialect: Dialect): ReadonlyArray<ReadonlyArray<string>> => [first(dialect), second];

const first = ({ bytes, check, clustered, key, largeKey, text }: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE cahier_run (
    run_key ${key},
    run_id ${text} NOT NULL UNIQUE,
    workspace_id ${text} NOT NULL,
    created_at ${text} NOT NULL,
    epoch INTEGER NOT NULL
  )`,
  "CREATE INDEX cahier_run_by_age ON cahier_run (created_at, run_id)",
  "CREATE INDEX cahier_run_by_workspace ON cahier_run (workspace_id, created_at, run_id)",
  `CREATE TABLE cahier_event (
    event_key ${largeKey},
    run_key INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    events INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    body TEXT NOT NULL,
    checksum ${check} NOT NULL
  )`,
  `CREATE TABLE cahier_event_edge (
    run_key INTEGER NOT NULL,
    invocation_id ${text} NOT NULL,
    seq INTEGER NOT NULL,
    inside INTEGER NOT NULL,
    PRIMARY KEY (run_key, invocation_id, seq)
  )${clustered}`,
  `CREATE TABLE cahier_blob (
    scope ${text} NOT NULL,
    sha256 ${text} NOT NULL,
    bytes ${bytes} NOT NULL,
    PRIMARY KEY (scope, sha256)
  )`,
  `CREATE TABLE cahier_document (
    collection ${text} NOT NULL,
    id ${text} NOT NULL,
    revision INTEGER NOT NULL,
    value TEXT NOT NULL,
    checksum ${check} NOT NULL,
    PRIMARY KEY (collection, id)
  )`,
];

/** A run that was stored before has come to rest at no number that is known. */
const second = ["ALTER TABLE cahier_run ADD COLUMN rest_seq INTEGER NOT NULL DEFAULT 0"];
