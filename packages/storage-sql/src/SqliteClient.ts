/**
 * An SqlClient over the SQLite that Node brings along, with transactions that never leave a lock across a pause.
 *
 * Owns the client and waiting for other processes without stopping this one. Does not own any table.
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
import type { Connection } from "effect/sql/SqlConnection";
import type { SqlError } from "effect/sql/SqlError";
import * as Statement from "effect/sql/Statement";
import * as Stream from "effect/Stream";
import * as SqliteStatements from "./internal/SqliteStatements.ts";
import * as SqliteWrites from "./internal/SqliteWrites.ts";

/**
 * `filename` is a path, an SQLite URI (`file:…?mode=ro`) or `:memory:`; a path's folder is made. `busyTimeout` is how
 * many milliseconds a statement waits for other processes, 10,000 by default.
 */
export interface Options {
  readonly filename: string;
  readonly busyTimeout?: number;
}

/** Runs one statement and gives its rows; throws what SQLite reports. */
export type Run = SqliteStatements.Run;

/** An SqlClient that also writes in shared transactions. */
export interface SqliteClient extends Client.SqlClient {
  /**
   * Runs `body` in a transaction, perhaps with others; durable when it returns. `body` may be run twice. Those of one
   * `origin` come one after the other: while they are the only ones, none waits for company. One that
   * `isOneStatement` needs no words around it when it is alone.
   */
  readonly transact: SqliteWrites.SqliteWrites["transact"];
  /** A number that changes when another connection has committed. */
  readonly dataVersion: Effect.Effect<number, SqlError>;
}

export const SqliteClient = Context.Service<SqliteClient>("@cahier/storage-sql/SqliteClient");

/** Opens the database; it is closed with the scope. */
export const make = Effect.fnUntraced(function* (
  options: Options,
): Effect.fn.Return<SqliteClient, SqlError, Scope.Scope | Reactivity.Reactivity> {
  const { busyTimeout = 10_000, filename } = options;
  const database = yield* Effect.acquireRelease(
    Effect.try({
      try: () => SqliteStatements.open(filename),
      catch: (cause) => SqliteStatements.failure(cause, "open"),
    }),
    (opened) => Effect.sync(() => opened.close()),
  );
  const run = SqliteStatements.make(database);
  const writes = SqliteWrites.make(database, run, {
    patience: busyTimeout,
    requireFile: SqliteStatements.keepWatch(filename),
  });
  yield* Effect.addFinalizer(() => Effect.sync(writes.close));
  const execute = patiently(run, busyTimeout);
  const client = yield* Client.make({
    driver: "node-sqlite",
    ...Client.makeSqliteAcquirers({
      connection: Effect.succeed(connectionOf(execute)),
      semaphore: yield* Semaphore.make(1),
      isTransaction: () => database.isTransaction,
    }),
    compiler: Statement.makeCompilerSqlite(),
    beginTransaction: "BEGIN IMMEDIATE",
    spanAttributes: [["db.system.name", "sqlite"]],
  });
  return Object.assign(client, {
    transact: writes.transact,
    dataVersion: Effect.map(execute("PRAGMA data_version", []), ([row]) => Number(row?.["data_version"])),
  });
});

/** The client, also as the plain SqlClient. */
export const layer = (options: Options): Layer.Layer<SqliteClient | Client.SqlClient, SqlError> =>
  Layer.effectContext(
    Effect.map(make(options), (client) =>
      Context.make(SqliteClient, client).pipe(Context.add(Client.SqlClient, client)),
    ),
  ).pipe(Layer.provide(Reactivity.layer));

type Execute = (text: string, values: ReadonlyArray<unknown>) => Effect.Effect<ReturnType<Run>, SqlError>;

/** Runs a statement again and again while other processes are in its way; the process goes on in between. */
const patiently =
  (run: Run, patience: number): Execute =>
  (text, values) =>
    Effect.callback((resume) => {
      const deadline = performance.now() + patience;
      const attempt = (): void => {
        try {
          resume(Effect.succeed(run(text, values)));
        } catch (cause) {
          if (!SqliteStatements.isBusy(cause)) return resume(Effect.fail(failure(cause)));
          if (performance.now() > deadline) return resume(Effect.fail(failure(new SqliteStatements.BusyTooLong())));
          state.timer = setTimeout(attempt, SqliteWrites.pause());
        }
      };
      const state: { timer: NodeJS.Timeout | undefined } = { timer: undefined };
      attempt();
      return Effect.sync(() => clearTimeout(state.timer));
    });

const failure = (cause: unknown): SqlError => SqliteStatements.failure(cause, "execute");

const connectionOf = (run: Execute): Connection => {
  const execute: Connection["execute"] = (text, values, transform) =>
    transform === undefined ? run(text, values) : Effect.map(run(text, values), transform);
  const executeValues: Connection["executeValues"] = (text, values) =>
    Effect.map(run(text, values), (rows) => rows.map((row) => Object.values(row)));
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: run,
    executeValues,
    executeValuesUnprepared: executeValues,
    executeStream: (text, values, transform) => Stream.fromIterableEffect(execute(text, values, transform)),
  };
};
