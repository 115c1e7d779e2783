/**
 * The order of writes to an SQLite file.
 *
 * Owns which writes share a transaction, and waiting for other processes. Does not own what is written.
 */
import * as Effect from "effect/Effect";
import type { SqlError } from "effect/sql/SqlError";
import type { DatabaseSync } from "node:sqlite";
import * as SqliteStatements from "./SqliteStatements.ts";

/** Writes that have begun come to their end; those that wait when `close` is called fail. */
export interface SqliteWrites {
  readonly transact: <A>(body: (run: SqliteStatements.Run) => A, options?: Transact) => Effect.Effect<A, SqlError>;
  readonly close: () => void;
}

/**
 * Those of one `origin` come one after the other. A body that `isOneStatement` runs no other: alone it is a transaction
 * without being told so.
 */
export interface Transact {
  readonly origin?: number | undefined;
  readonly isOneStatement?: boolean;
}

/** `patience` is how many milliseconds a write waits for others; `requireFile` throws when what is written is lost. */
export interface Options {
  readonly patience: number;
  readonly requireFile: () => void;
}

export const make = (
  database: DatabaseSync,
  run: SqliteStatements.Run,
  { patience, requireFile }: Options,
): SqliteWrites => {
  const waiting: Array<Job> = [];
  const state: State = { scheduled: false, closed: false, lastOrigin: undefined, inARow: 0 };

  const schedule = (delay: number): void => {
    if (state.scheduled) return;
    state.scheduled = true;
    if (delay === 0) setImmediate(drain);
    else setTimeout(drain, delay);
  };

  /**
   * Two in a row of one origin are its alone: who else is there would have come in between. So it need not wait for the
   * loop to come round, but after some in a row it does, or nobody else would ever come.
   */
  const begin = (origin: number | undefined): void => {
    const alone = origin !== undefined && origin === state.lastOrigin && !state.scheduled;
    state.lastOrigin = origin;
    state.inARow = alone ? state.inARow + 1 : 0;
    if (!alone || state.inARow % mostInARow === 0) return schedule(0);
    drain();
  };

  const drain = (): void => {
    state.scheduled = false;
    if (state.closed || waiting.length === 0) return;
    const jobs = takeGroup(waiting);
    const outcome = attempt(database, run, jobs, requireFile);
    if (outcome === "blocked") return waitLonger(jobs);
    if (outcome !== undefined) settleFailure(jobs, outcome.cause);
    if (waiting.length > 0) schedule(0);
  };

  /** Another process writes, or a transaction of this connection is open. */
  const waitLonger = (jobs: ReadonlyArray<Job>): void => {
    const now = performance.now();
    waiting.unshift(...jobs.filter((job) => job.deadline > now));
    const late = jobs.filter((job) => job.deadline <= now);
    for (const job of late) job.settle(Effect.fail(failure(new SqliteStatements.BusyTooLong())));
    if (waiting.length > 0) schedule(pause());
  };

  const settleFailure = (jobs: ReadonlyArray<Job>, cause: unknown): void => {
    if (jobs.length === 1) return jobs[0]?.settle(failed(cause));
    for (const job of jobs) job.alone = true;
    waiting.unshift(...jobs);
  };

  return {
    transact: <A>(body: (run: SqliteStatements.Run) => A, { isOneStatement = false, origin }: Transact = {}) =>
      Effect.callback<A, SqlError>((resume) => {
        if (state.closed) return resume(Effect.fail(closed()));
        waiting.push({
          body,
          settle: (result) => resume(result as Effect.Effect<A, SqlError>),
          deadline: performance.now() + patience,
          alone: false,
          isOneStatement,
        });
        begin(origin);
      }),
    close: () => {
      state.closed = true;
      for (const job of waiting.splice(0)) job.settle(Effect.fail(closed()));
    },
  };
};

/** How long to wait before trying again: not the same for all who wait. */
export const pause = (): number => 1 + Math.random() * 4;

interface State {
  scheduled: boolean;
  closed: boolean;
  lastOrigin: number | undefined;
  inARow: number;
}

/** How many writes of one origin run before the loop comes round again. */
const mostInARow = 8;

interface Job {
  readonly body: (run: SqliteStatements.Run) => unknown;
  readonly settle: (result: Effect.Effect<unknown, SqlError>) => void;
  readonly deadline: number;
  alone: boolean;
  readonly isOneStatement: boolean;
}

/** The jobs of the next transaction: one that must be alone, or all up to the next such one. */
const takeGroup = (waiting: Array<Job>): ReadonlyArray<Job> => {
  if (waiting[0]?.alone === true) return waiting.splice(0, 1);
  const next = waiting.findIndex((job) => job.alone);
  return waiting.splice(0, next === -1 ? waiting.length : next);
};

/** Runs and settles the jobs in one transaction; else says why it did not come to its end, and nothing is written. */
const attempt = (
  database: DatabaseSync,
  run: SqliteStatements.Run,
  jobs: ReadonlyArray<Job>,
  requireFile: () => void,
): Attempt => {
  if (database.isTransaction) return "blocked";
  const [only] = jobs;
  if (only?.isOneStatement === true && jobs.length === 1) return attemptAlone(run, only, requireFile);
  try {
    run("BEGIN IMMEDIATE", []);
  } catch (cause) {
    return SqliteStatements.isBusy(cause) ? "blocked" : { cause };
  }
  try {
    const results = jobs.map((job) => job.body(run));
    run("COMMIT", []);
    requireFile();
    for (const [index, job] of jobs.entries()) job.settle(Effect.succeed(results[index]));
    return undefined;
  } catch (cause) {
    if (database.isTransaction) run("ROLLBACK", []);
    return { cause };
  }
};

/** The same for a job that is one statement, which SQLite itself begins and commits. */
const attemptAlone = (run: SqliteStatements.Run, job: Job, requireFile: () => void): Attempt => {
  try {
    const result = job.body(run);
    requireFile();
    job.settle(Effect.succeed(result));
    return undefined;
  } catch (cause) {
    return SqliteStatements.isBusy(cause) ? "blocked" : { cause };
  }
};

/** Why nothing is written; undefined when all is. */
type Attempt = "blocked" | { readonly cause: unknown } | undefined;

const failure = (cause: unknown): SqlError => SqliteStatements.failure(cause, "transact");

const closed = (): SqlError => failure(new Error("the database is closed"));

/** What SQLite reports is a failure of the caller's; anything else that a body throws is a defect. */
const failed = (cause: unknown): Effect.Effect<never, SqlError> =>
  SqliteStatements.codeOf(cause) === undefined ? Effect.die(cause) : Effect.fail(failure(cause));
