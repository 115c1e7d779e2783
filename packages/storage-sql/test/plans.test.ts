/**
 * A page is found by its key, whatever the database believes of the tables.
 */
import { InvocationId } from "@cahier/domain/identity/Identity";
import type { ReadOptions } from "@cahier/ports/RunJournal";
import * as SqlDatabase from "@cahier/storage-sql/SqlDatabase";
import * as SqlRunJournal from "@cahier/storage-sql/SqlRunJournal";
import { afterAll, assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as RunStatements from "../src/internal/RunStatements.ts";
import * as Events from "./Events.ts";
import type { Open } from "./Harness.ts";
import * as PostgresServer from "@cahier/postgres-server/PostgresServer";

const { at, events, record, runId } = Events;

const invocationId = InvocationId.make("inv_root");

const pages: ReadonlyArray<ReadOptions> = [
  { afterSeq: 1500 },
  { beforeSeq: 1500 },
  { afterSeq: 1500, invocationId },
  { beforeSeq: 1500, invocationId },
];

/** A database with a journal of 3000 events. */
const filled = Effect.fnUntraced(function* (open: Open) {
  const database = yield* open;
  const journal = SqlRunJournal.make(database);
  yield* journal.create(record);
  for (let seq = 0; seq < 3000; seq += 500) yield* journal.append(runId, at(seq), events(seq + 1, seq + 500));
  return database;
});

describe("a page of SQLite", () => {
  it.live("is looked up by the events' key", () =>
    Effect.gen(function* () {
      const { dialect, sql } = yield* filled(SqlDatabase.sqlite({ filename: ":memory:" }));
      for (const options of pages) {
        const { text } = RunStatements.make(dialect).page(runId, 1, 3000, options);
        const plan = yield* sql<{
          detail: string;
        }>`${sql.literal(`EXPLAIN QUERY PLAN ${text.replaceAll(/\$\d/g, "1")}`)}`;
        const ofEvents = plan.map(({ detail }) => detail).filter((detail) => /\b(cahier_)?event\b/.test(detail));
        assert.isNotEmpty(ofEvents);
        for (const detail of ofEvents) {
          assert.match(detail, /^SEARCH (cahier_)?event USING INTEGER PRIMARY KEY \(rowid(=\?|>\? AND rowid<\?)\)/);
        }
      }
    }).pipe(Effect.scoped),
  );
});

const server = PostgresServer.lazy();
afterAll(server.stop);

describe.skipIf(PostgresServer.isLacking)(`a page of PostgreSQL${PostgresServer.reason}`, () => {
  it.live("is looked up by the events' key, before and after the server has counted rows", () =>
    Effect.gen(function* () {
      const database = yield* filled(SqlDatabase.postgres({ url: server.urlOf(server.freshSchema()) }));
      const { dialect, sql } = database;
      const planOf = (options: ReadOptions) =>
        sql.withTransaction(
          Effect.gen(function* () {
            const query = RunStatements.make(dialect).page(runId, 1, 3000, options);
            const values = query.values.map((value) => (typeof value === "number" ? value : `'${String(value)}'`));
            const types = query.values.map((value) => (typeof value === "number" ? "INTEGER" : "TEXT"));
            yield* sql.unsafe(`PREPARE page (${types.join(", ")}) AS ${query.text}`).unprepared;
            const lines = yield* sql.unsafe<{ "QUERY PLAN": string }>(`EXPLAIN EXECUTE page (${values.join(", ")})`)
              .unprepared;
            yield* sql.unsafe("DEALLOCATE page").unprepared;
            return lines.map((line) => line["QUERY PLAN"]).join("\n");
          }),
        );
      const before = yield* Effect.forEach(pages, planOf);
      yield* sql.unsafe("ANALYZE").unprepared;
      const after = yield* Effect.forEach(pages, planOf);
      for (const plan of [...before, ...after]) {
        assert.match(plan, /Index Scan (Backward )?using cahier_event_pkey[^\n]*\n\s*Index Cond: \(\(?event_key [>=]/);
        assert.notInclude(plan, "Join Filter");
      }
    }).pipe(Effect.scoped),
  );

  it.live("is not compiled, which takes longer than it runs", () =>
    Effect.gen(function* () {
      const { sql } = yield* SqlDatabase.postgres({ url: server.urlOf(server.freshSchema()) });
      assert.deepStrictEqual(yield* sql`SHOW jit`, [{ jit: "off" }]);
    }).pipe(Effect.scoped),
  );
});
