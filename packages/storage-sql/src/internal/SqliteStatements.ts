/**
 * The connection to an SQLite file, and statements that are prepared once.
 *
 * Owns the connection's settings and what its errors are called. Does not own when a statement runs.
 */
import type { Row } from "effect/sql/SqlConnection";
import * as SqlError from "effect/sql/SqlError";
import * as fs from "node:fs";
import * as nodePath from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import * as zlib from "node:zlib";

/** Runs one statement and gives its rows; throws what SQLite reports. A statement that has no columns gives no rows. */
export interface Run {
  (text: string, values: ReadonlyArray<unknown>): ReadonlyArray<Row>;
  /** The same for a statement without columns; gives how many rows it has changed. */
  readonly changes: (text: string, values: ReadonlyArray<unknown>) => number;
}

/**
 * WAL and FULL: a commit is synced before it returns, and readers go on while another writes. Opening waits for others,
 * because the first of them may still be setting up. Later nothing waits inside SQLite, since that would stop the whole
 * process.
 */
export const open = (filename: string): DatabaseSync => {
  if (isPath(filename)) {
    fs.mkdirSync(nodePath.dirname(nodePath.resolve(filename)), { recursive: true });
  }
  const database = new DatabaseSync(filename, { timeout: 10_000, enableForeignKeyConstraints: false });
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 0");
    database.function("cahier_checksum", { deterministic: true, varargs: true }, (text, ...numbers) =>
      checksum(String(text), numbers),
    );
  } catch (cause) {
    database.close();
    throw cause;
  }
  return database;
};

/** The statements of a connection. */
export const make = (database: DatabaseSync): Run => {
  const prepared = new Map<string, Prepared>();

  const prepare = (text: string): Prepared => {
    const present = prepared.get(text);
    if (present !== undefined) return present;
    if (prepared.size >= mostPrepared) prepared.clear();
    const statement = database.prepare(text);
    const made = { statement, hasRows: statement.columns().length > 0 };
    prepared.set(text, made);
    return made;
  };

  const run = (text: string, values: ReadonlyArray<unknown>): ReadonlyArray<Row> => {
    const { hasRows, statement } = prepare(text);
    const given = values as ReadonlyArray<SQLInputValue>;
    if (hasRows) return statement.all(...given);
    statement.run(...given);
    return [];
  };

  return Object.assign(run, {
    changes: (text: string, values: ReadonlyArray<unknown>): number =>
      Number(prepare(text).statement.run(...(values as ReadonlyArray<SQLInputValue>)).changes),
  });
};

/** What SQLite reported, classified. The classifier reads the number under a name of its own. */
export const failure = (cause: unknown, operation: string): SqlError.SqlError => {
  const code = codeOf(cause);
  if (code !== undefined && cause instanceof Error) Object.assign(cause, { errno: code });
  const message = cause instanceof Error ? cause.message : "SQLite reported no error object";
  return new SqlError.SqlError({ reason: SqlError.classifySqliteError(cause, { message, operation }) });
};

/** SQLite's own number of an error; undefined for anything that it did not report. */
export const codeOf = (cause: unknown): number | undefined =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" ? cause.errcode : undefined;

/** Another connection is in the way: SQLITE_BUSY and SQLITE_LOCKED, with their extended codes. */
export const isBusy = (cause: unknown): boolean => {
  const code = (codeOf(cause) ?? 0) & 0xff;
  return code === busy || code === locked;
};

/** The CRC-32 of a text and the numbers that belong to it. */
export const checksum = (text: string, numbers: ReadonlyArray<unknown>): number => {
  let behind = "";
  for (const number of numbers) behind += ` ${String(number)}`;
  return zlib.crc32(behind, zlib.crc32(text));
};

/** Another process was in the way for longer than somebody waits. */
export class BusyTooLong extends Error {
  override readonly name = "BusyTooLong";
  readonly errcode = busy;

  constructor() {
    super("the database is busy: another process kept it locked for too long");
  }
}

/** The file that is open is not the one that has its name any more: what is written into it is lost with it. */
export class FileGone extends Error {
  override readonly name = "FileGone";
  readonly errcode = cannotOpen;

  constructor(filename: string) {
    super(`the database file ${filename} was removed or replaced while it was open; put it back and start again`);
  }
}

/** Throws `FileGone` when an open file has lost its name; a database in memory, or one named by a URI, has none. */
export const keepWatch = (filename: string): (() => void) => {
  if (!isPath(filename)) return () => undefined;
  const opened = fs.statSync(filename);
  return () => {
    const found = fs.statSync(filename, { throwIfNoEntry: false });
    if (found?.ino !== opened.ino || found.dev !== opened.dev) throw new FileGone(filename);
  };
};

const isPath = (filename: string): boolean => filename !== ":memory:" && !filename.startsWith("file:");

const busy = 5;
const cannotOpen = 14;
const locked = 6;
const mostPrepared = 200;

interface Prepared {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
}
