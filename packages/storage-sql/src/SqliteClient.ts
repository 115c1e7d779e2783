/**
 * An SqlClient over the SQLite that Node brings along, with transactions that never leave a lock across a pause.
 *
 * Owns the connection, its settings, prepared statements and the order of writes. Does not own any table.
 *
 * WRITES. `transact` takes a plain function. All functions that wait when the loop comes round run in one transaction,
 * one after the other, without a pause in between: so one sync to the disk serves many runs, and two connections of one
 * process can never wait for each other. When a transaction fails, each of its functions is run again in a transaction
 * of its own, so that each gets the result that is its own.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Reactivity from "effect/reactivity/Reactivity";
import type * as Scope from "effect/Scope";
import * as Semaphore from "effect/Semaphore";
import * as Client from "effect/sql/SqlClient";
import type { Connection, Row } from "effect/sql/SqlConnection";
import * as SqlError from "effect/sql/SqlError";
import * as Statement from "effect/sql/Statement";
import * as Stream from "effect/Stream";
import * as crypto from "node:crypto";
import * as fs from "node:fs";
import * as nodePath from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/**
 * `filename` is a path, an SQLite URI (`file:…?mode=ro`) or `:memory:`; a path's folder is made. `busyTimeout` is how
 * many milliseconds a write waits for other processes, 10,000 by default.
 */
export interface Options {
  readonly filename: string;
  readonly busyTimeout?: number;
}

/** Runs one statement and gives its rows; throws what SQLite reports. */
export type Run = (text: string, values: ReadonlyArray<unknown>) => ReadonlyArray<Row>;

/** An SqlClient that also writes in shared transactions. */
export interface SqliteClient extends Client.SqlClient {
  /** Runs `body` in a transaction, perhaps with others; durable when it returns. `body` may be run twice. */
  readonly transact: <A>(body: (run: Run) => A) => Effect.Effect<A, SqlError.SqlError>;
  /** A number that changes when another connection has committed. */
  readonly dataVersion: Effect.Effect<number, SqlError.SqlError>;
}

export const SqliteClient = Context.Service<SqliteClient>("@cahier/storage-sql/SqliteClient");

/** Opens the database; it is closed with the scope. */
export const make = Effect.fnUntraced(function* (
  options: Options,
): Effect.fn.Return<SqliteClient, SqlError.SqlError, Scope.Scope | Reactivity.Reactivity> {
  const database = yield* Effect.acquireRelease(
    Effect.try({ try: () => open(options.filename), catch: (cause) => failure(cause, "open") }),
    (opened) => Effect.sync(() => opened.close()),
  );
  const run = makeRun(database);
  const writes = makeWrites(database, run, options.busyTimeout ?? 10_000);
  yield* Effect.addFinalizer(() => Effect.sync(writes.close));
  const semaphore = yield* Semaphore.make(1);
  const client = yield* Client.make({
    driver: "node-sqlite",
    ...Client.makeSqliteAcquirers({
      connection: Effect.succeed(connectionOf(run)),
      semaphore,
      isTransaction: () => database.isTransaction,
    }),
    compiler: Statement.makeCompilerSqlite(),
    beginTransaction: "BEGIN IMMEDIATE",
    spanAttributes: [["db.system.name", "sqlite"]],
  });
  return Object.assign(client, {
    transact: writes.transact,
    dataVersion: Effect.try({
      try: () => Number(run("PRAGMA data_version", [])[0]?.["data_version"]),
      catch: (cause) => failure(cause, "dataVersion"),
    }),
  });
});

/** The client, also as the plain SqlClient. */
export const layer = (options: Options): Layer.Layer<SqliteClient | Client.SqlClient, SqlError.SqlError> =>
  Layer.effectContext(
    Effect.map(make(options), (client) =>
      Context.make(SqliteClient, client).pipe(Context.add(Client.SqlClient, client)),
    ),
  ).pipe(Layer.provide(Reactivity.layer));

/**
 * WAL and FULL: a commit is synced before it returns, and readers go on while another writes. Opening waits for
 * others, because the first of them may still be setting up; later waits are short, since they stop the whole process.
 */
const open = (filename: string): DatabaseSync => {
  if (filename !== ":memory:" && !filename.startsWith("file:")) {
    fs.mkdirSync(nodePath.dirname(nodePath.resolve(filename)), { recursive: true });
  }
  const database = new DatabaseSync(filename, { timeout: 10_000, enableForeignKeyConstraints: false });
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 200");
    database.function("cahier_checksum", { deterministic: true }, checksum);
  } catch (cause) {
    database.close();
    throw cause;
  }
  return database;
};

/** The first eight bytes of the SHA-256 of two numbers and a text, as PostgreSQL's `sha256` gives them. */
const checksum = (first: unknown, second: unknown, text: unknown): Uint8Array =>
  crypto.hash("sha256", `${String(first)} ${String(second)} ${String(text)}`, "buffer").subarray(0, 8);

interface Prepared {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
}

const mostPrepared = 200;

/** Runs statements that are prepared once; one that has no columns gives no rows. */
const makeRun = (database: DatabaseSync): Run => {
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

  return (text, values) => {
    const { hasRows, statement } = prepare(text);
    const given = values as ReadonlyArray<SQLInputValue>;
    if (hasRows) return statement.all(...given);
    statement.run(...given);
    return [];
  };
};

interface Job {
  readonly body: (run: Run) => unknown;
  readonly settle: (result: Effect.Effect<unknown, SqlError.SqlError>) => void;
  readonly deadline: number;
  alone: boolean;
}

interface Writes {
  readonly transact: SqliteClient["transact"];
  readonly close: () => void;
}

const makeWrites = (database: DatabaseSync, run: Run, busyTimeout: number): Writes => {
  const waiting: Array<Job> = [];
  const state = { scheduled: false, closed: false };

  const schedule = (delay: number): void => {
    if (state.scheduled) return;
    state.scheduled = true;
    if (delay === 0) setImmediate(drain);
    else setTimeout(drain, delay);
  };

  const drain = (): void => {
    state.scheduled = false;
    if (state.closed || waiting.length === 0) return;
    const jobs = takeGroup(waiting);
    const outcome = attempt(database, run, jobs);
    if (outcome === "blocked") return waitLonger(jobs);
    if (outcome !== undefined) settleFailure(jobs, outcome.cause);
    if (waiting.length > 0) schedule(0);
  };

  /** Another process writes, or a transaction of this connection is open. */
  const waitLonger = (jobs: ReadonlyArray<Job>): void => {
    const now = performance.now();
    const [late, patient] = [jobs.filter((job) => job.deadline <= now), jobs.filter((job) => job.deadline > now)];
    waiting.unshift(...patient);
    for (const job of late) job.settle(Effect.fail(failure(new BusyTooLong(), "transact")));
    if (waiting.length > 0) schedule(1 + Math.random() * 4);
  };

  const settleFailure = (jobs: ReadonlyArray<Job>, cause: unknown): void => {
    if (jobs.length === 1) return jobs[0]?.settle(failed(cause));
    for (const job of jobs) job.alone = true;
    waiting.unshift(...jobs);
  };

  return {
    transact: <A>(body: (run: Run) => A) =>
      Effect.callback<A, SqlError.SqlError>((resume) => {
        if (state.closed) return resume(Effect.fail(closedFailure()));
        waiting.push({
          body,
          settle: (result) => resume(result as Effect.Effect<A, SqlError.SqlError>),
          deadline: performance.now() + busyTimeout,
          alone: false,
        });
        schedule(0);
      }),
    close: () => {
      state.closed = true;
      for (const job of waiting.splice(0)) job.settle(Effect.fail(closedFailure()));
    },
  };
};

/** The jobs of the next transaction: one that must be alone, or all up to the next such one. */
const takeGroup = (waiting: Array<Job>): ReadonlyArray<Job> => {
  if (waiting[0]?.alone === true) return waiting.splice(0, 1);
  const next = waiting.findIndex((job) => job.alone);
  return waiting.splice(0, next === -1 ? waiting.length : next);
};

/** Runs and settles the jobs in one transaction; else says why it did not come to its end, and nothing is written. */
const attempt = (
  database: DatabaseSync,
  run: Run,
  jobs: ReadonlyArray<Job>,
): "blocked" | { readonly cause: unknown } | undefined => {
  if (database.isTransaction) return "blocked";
  try {
    run("BEGIN IMMEDIATE", []);
  } catch (cause) {
    return isBusy(cause) ? "blocked" : { cause };
  }
  try {
    const results = jobs.map((job) => job.body(run));
    run("COMMIT", []);
    for (const [index, job] of jobs.entries()) job.settle(Effect.succeed(results[index]));
    return undefined;
  } catch (cause) {
    if (database.isTransaction) run("ROLLBACK", []);
    return { cause };
  }
};

const connectionOf = (run: Run): Connection => {
  const rows: Connection["execute"] = (text, values, transform) =>
    Effect.try({
      try: () => {
        const found = run(text, values);
        return transform === undefined ? found : transform(found);
      },
      catch: (cause) => failure(cause, "execute"),
    });
  const values: Connection["executeValues"] = (text, given) =>
    Effect.try({
      try: () => run(text, given).map((row) => Object.values(row)),
      catch: (cause) => failure(cause, "execute"),
    });
  return {
    execute: rows,
    executeUnprepared: rows,
    executeRaw: (text, given) => rows(text, given, undefined),
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: (text, given, transform) => Stream.fromIterableEffect(rows(text, given, transform)),
  };
};

/** The writer lock was held by others for longer than a write waits. */
class BusyTooLong extends Error {
  override readonly name = "BusyTooLong";
  readonly errcode = 5;

  constructor() {
    super("another process kept the database's write lock for too long");
  }
}

const closedFailure = (): SqlError.SqlError => failure(new Error("the database is closed"), "transact");

/** What SQLite reports is a failure of the caller's; anything else that a body throws is a defect. */
const failed = (cause: unknown): Effect.Effect<never, SqlError.SqlError> =>
  codeOf(cause) === undefined ? Effect.die(cause) : Effect.fail(failure(cause, "transact"));

/** The classifier of errors reads the number under a name of its own. */
const failure = (cause: unknown, operation: string): SqlError.SqlError => {
  const code = codeOf(cause);
  if (code !== undefined && cause instanceof Error) Object.assign(cause, { errno: code });
  const message = cause instanceof Error ? cause.message : "SQLite reported no error object";
  return new SqlError.SqlError({ reason: SqlError.classifySqliteError(cause, { message, operation }) });
};

const codeOf = (cause: unknown): number | undefined =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" ? cause.errcode : undefined;

/** SQLITE_BUSY and SQLITE_LOCKED, with their extended codes. */
const isBusy = (cause: unknown): boolean => {
  const code = (codeOf(cause) ?? 0) & 0xff;
  return code === 5 || code === 6;
};
