/**
 * What the adapters of this package need of a database, and the words in which the two kinds of database differ.
 *
 * Owns the form of a write. Does not own SQL that both understand: the adapters do.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import type { Unavailable } from "@cahier/ports/StorageFault";
import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { SqlClient } from "effect/sql/SqlClient";
import type { Signal } from "./RunSignals.ts";

export type Value = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, unknown>>;
export type Rows = ReadonlyArray<Row>;

/** Words that go into a statement's text. Parameters are `$1`, `$2`, … on both. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Column types: a number that the database gives, a large number that is the key, text in the order of its bytes. */
  readonly key: string;
  readonly largeKey: string;
  readonly text: string;
  readonly bytes: string;
  readonly check: string;
  /** Ends the definition of a table of small rows that lies in the order of its primary key. */
  readonly clustered: string;
  /** A value of type `check` over numbers and a text; each of them is an expression. */
  readonly checksum: (numbers: ReadonlyArray<string>, text: string) => string;
  /** The same of a text that is bound: what `check` made of both is at hand too. */
  readonly checksumBound: (numbers: ReadonlyArray<string>, text: string, check: string) => string;
  /** What is bound beside numbers and a text; 0 where the database does all of the work. */
  readonly checkOf: (numbers: ReadonlyArray<number>, text: string) => number;
  /** Ends a query of a run's row that nobody may change until the transaction ends. */
  readonly share: string;
  /**
   * The source of an insert: `expressions` for each of its given rows, whose columns are bound from parameter `first`
   * on, and of the guard's row.
   */
  readonly rows: (
    first: number,
    types: ReadonlyArray<"INTEGER" | "BIGINT" | "TEXT">,
    expressions: (guard: GuardRow, given: ReadonlyArray<string>) => ReadonlyArray<string>,
  ) => string;
  /** Begins an insert that leaves a row out which lacks something; undefined where that is always an error. */
  readonly insertOrLeaveOut: string | undefined;
  /** Gives a row for each thing that is wrong with the database's pages, or one row `ok`. */
  readonly checkPages: string | undefined;
  /** The size of everything as `bytes`, and what of it is unused as `free_bytes`. */
  readonly space: string;
  /** Statements that give unused space back; not in a transaction. */
  readonly compact: ReadonlyArray<string>;
  /** The names of the tables that are there already, as `name`. */
  readonly tables: string;
  /** True when a table that is not of this package says that the database is somebody else's. */
  readonly isForeign: (table: string) => boolean;
  /** A statement that keeps others from setting up the tables at the same time; holds until its transaction ends. */
  readonly lock: string | undefined;
}

/** Expressions of the run's row as the guard of an append or a claim has left it. */
export interface GuardRow {
  readonly key: string;
  readonly epoch: string;
}

/** Many rows for one statement: the columns are bound behind the write's values and the columns of inserts before. */
export interface Insert {
  readonly text: string;
  readonly columns: ReadonlyArray<ReadonlyArray<Value>>;
}

/** `guard` gives the one row that everything depends on, perhaps changed: without a row nothing is inserted. */
export interface Write {
  /** Whose write it is: each waits for the one before, so nothing more of it can come to share a transaction. */
  readonly origin?: number;
  readonly guard: string;
  /**
   * The guard and a single row of the first insert in one statement, bound behind the write's values: it changes one row
   * or, where the guard finds none, nothing. A database that sends everything at once has no use for it.
   */
  readonly guardedRow?: string | undefined;
  readonly values: ReadonlyArray<Value>;
  readonly inserts: ReadonlyArray<Insert>;
}

/** An open database whose tables are set up. */
export interface Database {
  readonly sql: SqlClient;
  readonly dialect: Dialect;
  readonly query: (operation: string, text: string, values: ReadonlyArray<Value>) => Effect.Effect<Rows, Unavailable>;
  /**
   * All of it or nothing, in one transaction, durable when it returns; gives the guard's rows, and none when somebody
   * else has inserted a row of the same key meanwhile.
   */
  readonly write: (operation: string, write: Write) => Effect.Effect<Rows, Unavailable>;
  /**
   * Runs the statements in one transaction, each with as many of `values` as it names; when one that has columns gives
   * no row, those after it are not run. Durable when it returns.
   */
  readonly transaction: (
    operation: string,
    texts: ReadonlyArray<string>,
    values: ReadonlyArray<Value>,
  ) => Effect.Effect<void, Unavailable>;
  /** Wakes those who follow a run, here at once and in other processes soon. */
  readonly changed: (runId: RunId) => void;
  /** Raised when the run has changed, by whichever process, and sometimes when it has not. */
  readonly follow: (runId: RunId) => Effect.Effect<Signal, never, Scope.Scope>;
}

/** How many of a write's values a statement names: a database refuses values that no parameter asks for. */
export const named = (text: string): number =>
  Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), (match) => Number(match[1])));
