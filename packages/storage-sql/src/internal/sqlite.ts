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
import * as RunSignals from "./RunSignals.ts";

export const dialect: Dialect.Dialect = {
  name: "sqlite",
  key: "INTEGER PRIMARY KEY AUTOINCREMENT",
  text: "TEXT",
  bytes: "BLOB",
  onlyKey: " WITHOUT ROWID",
  checksum: (first, second, text) => `cahier_checksum(${first}, ${second}, ${text})`,
  guarded: "(SELECT run_key, epoch, last_seq FROM cahier_run WHERE run_id = $1) AS guard",
  given: (first, columns) =>
    `(SELECT ${columns.map(([name], index) => `$${first + index} AS ${name}`).join(", ")}) AS given`,
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

    write: (operation, { guard, inserts, values }) =>
      Effect.mapError(
        client.transact((run) => {
          const rows = run(prepare(guard).text, values);
          if (rows.length === 0) return rows;
          const before = [...values];
          for (const insert of inserts) {
            const { text } = prepare(insert.text);
            const count = insert.columns[0]?.length ?? 0;
            for (let row = 0; row < count; row += 1) {
              run(text, [...before, ...insert.columns.map((column) => column[row] ?? null)]);
            }
            before.push(...insert.columns.map(() => null));
          }
          return rows;
        }),
        (error) => Fault.unavailable(operation, error),
      ),

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

interface Prepared {
  readonly text: string;
  readonly named: number;
}

const preparedTexts = new Map<string, Prepared>();

/** SQLite counts parameters that are written `?1`; one that is written `$1` has a name and no number. */
const prepare = (text: string): Prepared => {
  const present = preparedTexts.get(text);
  if (present !== undefined) return present;
  const made = { text: text.replaceAll(/\$(\d+)/g, "?$1"), named: Dialect.named(text) };
  preparedTexts.set(text, made);
  return made;
};
