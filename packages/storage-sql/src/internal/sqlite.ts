/**
 * SQLite as a database of this package.
 *
 * Owns how its words differ, how a write runs in it, and noticing what other processes commit: SQLite sends no
 * messages, so the version of its data is looked at while somebody waits.
 */
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type * as SqliteClient from "../SqliteClient.ts";
import * as Dialect from "./Dialect.ts";
import * as Fault from "./fault.ts";
import * as SqliteStatements from "./SqliteStatements.ts";
import * as RunSignals from "./RunSignals.ts";

export const dialect: Dialect.Dialect = {
  name: "sqlite",
  key: "INTEGER PRIMARY KEY AUTOINCREMENT",
  text: "TEXT",
  // Exactly this type makes the column the place of the row, so that the table needs no index besides.
  largeKey: "INTEGER PRIMARY KEY",
  bytes: "BLOB",
  check: "INTEGER",
  clustered: " WITHOUT ROWID",
  checksum: (numbers, text) => `cahier_checksum(${text}, ${numbers.join(", ")})`,
  checksumBound: (_numbers, _text, check) => check,
  checkOf: (numbers, text) => SqliteStatements.checksum(text, numbers),
  // One writes at a time, from the beginning of its transaction to the end.
  share: "",
  // An insert runs once for each row. The guard's row takes the place of the first two values.
  rows: (first, types, expressions) => {
    const given = types.map((_, index) => `$${first + index}`);
    return `VALUES (${expressions({ key: "$1", epoch: "$2" }, given).join(", ")})`;
  },
  insertOrLeaveOut: "INSERT OR IGNORE INTO",
  checkPages: "PRAGMA quick_check",
  space: `SELECT page_count * page_size AS bytes, freelist_count * page_size AS free_bytes
    FROM pragma_page_count, pragma_page_size, pragma_freelist_count`,
  compact: ["VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"],
  tables: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  isForeign: () => true,
  lock: undefined,
};

/** The database behind an open client. */
export const make = Effect.fnUntraced(function* (
  client: SqliteClient.SqliteClient,
): Effect.fn.Return<Dialect.Database, never, Scope.Scope> {
  const signals = yield* RunSignals.make(watch(client));
  return {
    sql: client,
    dialect,

    query: (operation, text, values) => {
      const statement = prepare(text);
      return Effect.mapError(client.unsafe<Dialect.Row>(statement.text, values.slice(0, statement.named)), (error) =>
        Fault.unavailable(operation, error),
      );
    },

    write: (operation, { guard, guardedRow, inserts, origin, values }) => {
      const row = guardedRow === undefined ? undefined : onlyRow(inserts);
      const written =
        guardedRow === undefined || row === undefined
          ? client.transact((run) => insertGuarded(run, guard, values, inserts), { origin })
          : client.transact((run) => insertRow(run, guardedRow, values, row), { origin, isOneStatement: true });
      return Effect.mapError(written, (error) => Fault.unavailable(operation, error));
    },

    transaction: (operation, texts, values) =>
      Effect.mapError(
        client.transact((run) => {
          for (const statement of texts.map(prepare)) {
            const rows = run(statement.text, values.slice(0, statement.named));
            if (rows.length === 0 && returns.test(statement.text)) return;
          }
        }),
        (error) => Fault.unavailable(operation, error),
      ),

    changed: signals.raise,
    follow: signals.follow,
  };
});

/** Changes of this connection do not count as changes of its data's version. */
const watch = (client: SqliteClient.SqliteClient) =>
  Effect.fnUntraced(function* (raise: RunSignals.RunSignals["raise"]) {
    const look = Effect.orElseSucceed(client.dataVersion, () => undefined);
    const last = { version: yield* look };
    const step = Effect.andThen(
      Effect.sleep(lookEvery),
      Effect.map(look, (version) => {
        if (version !== last.version) raise(undefined);
        last.version = version;
      }),
    );
    yield* Effect.forkScoped(Effect.forever(step));
  });

const lookEvery = "20 millis";

const returns = /\bRETURNING\b/;

const insertGuarded = (
  run: SqliteClient.Run,
  guard: string,
  values: ReadonlyArray<Dialect.Value>,
  inserts: ReadonlyArray<Dialect.Insert>,
): Dialect.Rows => {
  const rows = run(prepare(guard).text, values);
  const [row] = rows;
  if (row !== undefined) insertAll(run, [row["run_key"], row["epoch"], ...values.slice(2)], inserts);
  return rows;
};

const insertRow = (
  run: SqliteClient.Run,
  guardedRow: string,
  values: ReadonlyArray<Dialect.Value>,
  row: ReadonlyArray<Dialect.Value>,
): Dialect.Rows => {
  const isInserted = run.changes(prepare(guardedRow).text, [...values, ...row]) > 0;
  return isInserted ? [{ run_key: values[0], epoch: values[1] }] : [];
};

/** The row of the first insert when there is no other. */
const onlyRow = ([first, ...others]: ReadonlyArray<Dialect.Insert>): ReadonlyArray<Dialect.Value> | undefined => {
  if (first?.columns[0]?.length !== 1 || others.some(({ columns }) => columns[0]?.length !== 0)) return undefined;
  return first.columns.map(([value = null]) => value);
};

/** Before the columns of an insert stand `before` and the columns of the inserts in front of it. */
const insertAll = (run: SqliteClient.Run, before: Array<unknown>, inserts: ReadonlyArray<Dialect.Insert>): void => {
  for (const { columns, text } of inserts) {
    const width = before.length;
    const count = columns[0]?.length ?? 0;
    for (let row = 0; row < count; row += 1) {
      for (let column = 0; column < columns.length; column += 1) before[width + column] = columns[column]?.[row];
      run(prepare(text).text, before);
    }
    while (before.length < width + columns.length) before.push(null);
  }
};

interface Prepared {
  readonly text: string;
  readonly named: number;
}

const preparedTexts = new Map<string, Prepared>();

/** SQLite counts parameters that are written `?1`; one that is written `$1` has a name and no number. */
const prepare = (text: string): Prepared => {
  const present = preparedTexts.get(text);
  if (present !== undefined) return present;
  const numbered = text.replaceAll(/\$(\d+)/g, "?$1");
  const made = { text: numbered, named: Dialect.named(text) };
  preparedTexts.set(text, made);
  return made;
};
