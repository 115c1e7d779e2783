/**
 * PostgreSQL as a database of this package.
 *
 * Owns how its words differ, how a write runs in it (one statement, so one message there and back), and the messages
 * between processes.
 *
 * MESSAGES. A transaction that notifies holds a lock of the whole database until it is on the disk, so an append does
 * not: a fiber sends the names of changed runs afterwards, many at once. A message may be lost with its process, so who
 * waits also looks by itself every second.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import type * as PgClient from "@effect/sql-pg/PgClient";
import * as Effect from "effect/Effect";
import * as Latch from "effect/Latch";
import * as Queue from "effect/Queue";
import type * as Scope from "effect/Scope";
import * as Dialect from "./Dialect.ts";
import * as Fault from "./fault.ts";
import * as RunSignals from "./RunSignals.ts";

export const dialect: Dialect.Dialect = {
  name: "postgres",
  key: "INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
  text: 'TEXT COLLATE "C"',
  largeKey: "BIGINT PRIMARY KEY",
  bytes: "BYTEA",
  check: "BYTEA",
  clustered: "",
  checksum: (numbers, text) => {
    const before = numbers.map((number) => `CAST(${number} AS TEXT) || ' ' || `).join("");
    return `substr(sha256(convert_to(${before}${text}, 'UTF8')), 1, 8)`;
  },
  checksumBound: (numbers, text) => dialect.checksum(numbers, text),
  checkOf: () => 0,
  share: " FOR SHARE",
  rows: (first, types, expressions) => {
    const arrays = types.map((type, index) => `CAST($${first + index} AS ${type}[])`).join(", ");
    const given = types.map((_, index) => `column_${index}`);
    const guard = { key: "guard.run_key", epoch: "guard.epoch" };
    return `SELECT ${expressions(
      guard,
      given.map((name) => `given.${name}`),
    ).join(", ")} FROM guard CROSS JOIN unnest(${arrays}) AS given (${given.join(", ")})`;
  },
  insertOrLeaveOut: undefined,
  checkPages: undefined,
  space: `SELECT COALESCE(sum(pg_total_relation_size(quote_ident(tablename)::regclass)), 0) AS bytes, 0 AS free_bytes
    FROM pg_tables WHERE schemaname = current_schema() AND tablename LIKE 'cahier\\_%'`,
  compact: ["cahier_run", "cahier_event", "cahier_event_edge", "cahier_blob", "cahier_document"].map(
    (table) => `VACUUM ${table}`,
  ),
  tables: "SELECT CAST(tablename AS TEXT) AS name FROM pg_tables WHERE schemaname = current_schema()",
  // A database of PostgreSQL has room for others: only our own names count.
  isForeign: (table) => table.startsWith("cahier_"),
  lock: "SELECT 1 FROM pg_advisory_xact_lock(hashtext('cahier_schema'))",
};

/** The database behind a connected client. */
export const make = Effect.fnUntraced(function* (
  client: PgClient.PgClient,
): Effect.fn.Return<Dialect.Database, never, Scope.Scope> {
  const run = (operation: string, text: string, values: ReadonlyArray<unknown>) =>
    Effect.mapError(client.unsafe<Dialect.Row>(text, values), (error) => Fault.unavailable(operation, error));
  const announce = yield* makeAnnouncements(client);
  const signals = yield* RunSignals.make(watch(client));
  return {
    sql: client,
    dialect,

    query: (operation, text, values) => run(operation, text, values.slice(0, Dialect.named(text))),

    write: (operation, write) => {
      const inserts = withoutEmptyEnd(write.inserts);
      const values = [...write.values, ...inserts.flatMap((insert) => insert.columns)];
      return client.unsafe<Dialect.Row>(oneStatement(write.guard, inserts), values).pipe(
        Effect.catchIf(
          (error) => error.reason._tag === "UniqueViolation",
          () => Effect.succeed([]),
        ),
        Effect.mapError((error) => Fault.unavailable(operation, error)),
      );
    },

    transaction: (operation, texts, values) =>
      Effect.mapError(
        client.withTransaction(
          Effect.gen(function* () {
            for (const text of texts) {
              const rows = yield* client.unsafe<Dialect.Row>(text, values.slice(0, Dialect.named(text)));
              if (rows.length === 0 && returns.test(text)) return;
            }
          }),
        ),
        (error) => Fault.unavailable(operation, error),
      ),

    changed: (runId) => {
      signals.raise(runId);
      announce(runId);
    },
    follow: signals.follow,
  };
});

/** Listens, again and again when the connection is lost, and lets everybody look now and then. */
const watch = (client: PgClient.PgClient) =>
  Effect.fnUntraced(function* (raise: RunSignals.RunSignals["raise"]) {
    const listening = Effect.scoped(
      Effect.flatMap(client.listen(channel), (messages) => {
        raise(undefined);
        return Effect.forever(
          Effect.map(Queue.take(messages), ({ payload }) => raise(isRunId(payload) ? payload : undefined)),
        );
      }),
    );
    const pause = Effect.sleep(lookEvery);
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.ignore(listening), pause)));
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.andThen(
          pause,
          Effect.sync(() => raise(undefined)),
        ),
      ),
    );
  });

const channel = "cahier_runs";
const lookEvery = "1 second";
const sendEvery = "20 millis";
const returns = /\bRETURNING\b/;

const isRunId = (text: string): text is RunId => /^[A-Za-z0-9_-]{1,128}$/.test(text);

/** Sends the names of changed runs from a fiber of its own; losing the connection loses messages and nothing else. */
const makeAnnouncements = Effect.fnUntraced(function* (client: PgClient.PgClient) {
  const changed = new Set<RunId>();
  const some = Latch.makeUnsafe();
  const send = Effect.suspend(() => {
    some.closeUnsafe();
    const runIds = [...changed];
    changed.clear();
    return client.unsafe(sending, [channel, runIds]);
  });
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(some.await, Effect.andThen(Effect.ignore(send), Effect.sleep(sendEvery)))),
  );
  return (runId: RunId): void => {
    changed.add(runId);
    some.openUnsafe();
  };
});

/** A message need not be on the disk, so nobody waits for that. */
const sending =
  "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, run_id) FROM unnest(CAST($2 AS TEXT[])) AS changed (run_id)";

/** The inserts up to the last that has rows: one behind it costs the server time for nothing. */
const withoutEmptyEnd = (inserts: ReadonlyArray<Dialect.Insert>): ReadonlyArray<Dialect.Insert> =>
  inserts.slice(0, inserts.findLastIndex(({ columns }) => (columns[0]?.length ?? 0) > 0) + 1);

const statements = new Map<string, string>();

const oneStatement = (guard: string, inserts: ReadonlyArray<Dialect.Insert>): string => {
  if (inserts.length === 0) return guard;
  const key = `${inserts.length} ${guard}`;
  const present = statements.get(key);
  if (present !== undefined) return present;
  const steps = inserts.map((insert, index) => `step_${index} AS (${insert.text})`);
  const made = `WITH guard AS (${guard}), ${steps.join(", ")} SELECT * FROM guard`;
  statements.set(key, made);
  return made;
};
