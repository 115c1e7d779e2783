/**
 * What the laws do not ask of tables: pages against a plain filter, rows that are missing, and what a removal leaves.
 */
import { InvocationId, RunId } from "@cahier/domain/identity/Identity";
import { concerns, type NewEvent } from "@cahier/domain/run/EventEnvelope";
import { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as SqlDatabase from "@cahier/storage-sql/SqlDatabase";
import * as SqlRunJournal from "@cahier/storage-sql/SqlRunJournal";
import * as SqlStorage from "@cahier/storage-sql/SqlStorage";
import { afterAll, assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type * as Layer from "effect/Layer";
import * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import * as nodePath from "node:path";
import * as RunStatements from "../src/internal/RunStatements.ts";
import * as Events from "./Events.ts";
import type { Open } from "./Harness.ts";
import * as PostgresServer from "@cahier/postgres-server/PostgresServer";
import * as RealDirectory from "./RealDirectory.ts";

const { at, event, events, record, runId } = Events;

const invocations = ["inv_root", "inv_a", "inv_b", "inv_c"].map((id) => InvocationId.make(id));

type Journal = RunJournal["Service"];

/** Numbers from 0 to below `most` that are the same in each run. */
const numbers = (seed: number) => {
  const state = { value: seed };
  return (most: number): number => {
    state.value = (state.value * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state.value / 2_147_483_648) * most);
  };
};

/** An event that belongs to one invocation for long stretches and concerns others now and then. */
const scattered = (n: number, next: (most: number) => number): NewEvent => {
  const owner = invocations[Math.floor(n / 37) % 3] ?? Events.event(n).eventScope.invocationId;
  const related = next(4) === 0 ? [invocations[next(4)] ?? owner, owner] : undefined;
  return {
    ...event(n),
    eventScope: { invocationId: owner, ...(related === undefined ? {} : { relatedInvocationIds: related }) },
  };
};

const onDatabase = (open: Effect.Effect<Open, never, Scope.Scope>) => {
  const withRun = Effect.gen(function* () {
    const database = yield* yield* open;
    const journal = SqlRunJournal.make(database);
    yield* journal.create(record);
    return { database, journal };
  });

  it.live("give the same pages as a filter over all events, whatever the batches were", () =>
    Effect.gen(function* () {
      const { journal } = yield* withRun;
      const next = numbers(7);
      const all = Array.from({ length: 400 }, (_, index) => scattered(index + 1, next));
      for (let from = 0; from < all.length;) {
        const batch = all.slice(from, from + 1 + next(60));
        from = yield* journal.append(runId, at(from), batch);
      }
      const stored = all.map((one, index) => ({ ...one, seq: index + 1 }));
      for (let round = 0; round < 150; round += 1) {
        const invocationId = invocations[next(4)] ?? Events.event(0).eventScope.invocationId;
        const [limit, edge, backward] = [1 + next(40), next(402), next(2) === 0];
        const page = yield* journal.read(runId, {
          invocationId,
          limit,
          ...(backward ? { beforeSeq: edge } : { afterSeq: edge, beforeSeq: 380 }),
        });
        const kept = stored.filter((one) => concerns(one, invocationId)).map((one) => one.seq);
        const expected = backward
          ? kept.filter((seq) => seq < edge).slice(-limit)
          : kept.filter((seq) => seq > edge && seq < 380).slice(0, limit);
        assert.deepStrictEqual(
          page.events.map((one) => one.seq),
          expected,
          `${invocationId} ${backward ? "before" : "after"} ${edge}, ${limit}`,
        );
      }
    }).pipe(Effect.scoped),
  );

  it.live("name a row that is missing before the last one as damage", () =>
    Effect.gen(function* () {
      for (const missing of [1, 4, 5]) {
        const { database, journal } = yield* withRun;
        for (let n = 0; n < 6; n += 1) yield* journal.append(runId, at(n), events(n + 1, n + 1));
        yield* database.sql`DELETE FROM cahier_event WHERE seq = ${missing}`;
        const page = yield* SqlRunJournal.make(database).read(runId);
        assert.deepStrictEqual(
          [page.lastSeq, page.damage?.seq, page.events.length],
          [missing - 1, missing, missing - 1],
        );
      }
    }).pipe(Effect.scoped),
  );

  it.live("name the last row as missing when the run was at rest or had been claimed after it", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 40 }, (_, index) => event(index + 4));
      const endings: ReadonlyArray<readonly [string, (journal: Journal) => Effect.Effect<unknown, unknown>, number]> = [
        ["let go", (journal) => journal.append(runId, at(3), [event(4), Events.letGo(5)]), 5],
        ["let go in many rows", (journal) => journal.append(runId, at(3), [...many, Events.letGo(44)]), 44],
        ["claimed", (journal) => journal.claim(runId, 1, Events.ownerChanged(4)), 4],
        ["released", (journal) => Effect.andThen(journal.append(runId, at(3), [event(4)]), journal.release(runId)), 4],
        ["released again", (journal) => Effect.andThen(journal.release(runId), journal.release(runId)), 3],
      ];
      for (const [how, end, last] of endings) {
        const { database, journal } = yield* withRun;
        for (let n = 0; n < 3; n += 1) yield* journal.append(runId, at(n), events(n + 1, n + 1));
        yield* end(journal);
        assert.strictEqual((yield* SqlRunJournal.make(database).read(runId)).lastSeq, last, how);
        const { sql } = database;
        const [row] = yield* sql<{
          seq: number;
          events: number;
        }>`SELECT seq, events FROM cahier_event ORDER BY seq DESC LIMIT 1`;
        assert.strictEqual(Number(row?.seq) + Number(row?.events) - 1, last, how);
        yield* sql`DELETE FROM cahier_event WHERE seq = ${Number(row?.seq)}`;
        const missing = Number(row?.seq);
        for (const one of [SqlRunJournal.make(database), SqlRunJournal.make(database)]) {
          const page = yield* one.read(runId);
          assert.deepStrictEqual([page.lastSeq, page.damage?.seq], [missing - 1, missing], how);
          const newest = yield* one.read(runId, { beforeSeq: 1_000_000, limit: 1 });
          assert.deepStrictEqual([newest.lastSeq, newest.damage?.seq], [missing - 1, missing], how);
        }
        const claimed = yield* Effect.flip(
          SqlRunJournal.make(database).claim(runId, how === "claimed" ? 2 : 1, event(99)),
        );
        assert.strictEqual(claimed._tag, "Corrupt", how);
        const epoch = how === "claimed" ? 2 : 1;
        const appended = yield* Effect.flip(journal.append(runId, at(last, epoch), [event(99)]));
        assert.strictEqual(appended._tag, "Corrupt", how);
      }
    }).pipe(Effect.scoped),
  );

  it.live("name the last row of a restored run as missing", () =>
    Effect.gen(function* () {
      const database = yield* yield* open;
      const given = events(1, 40).map((one, index) => ({ ...one, seq: index + 1, runId, epoch: 1 }));
      yield* SqlRunJournal.make(database).create(record, Stream.make(given.slice(0, 20), given.slice(20)));
      assert.deepStrictEqual((yield* SqlRunJournal.make(database).read(runId)).events, given);
      yield* database.sql`DELETE FROM cahier_event WHERE seq > 30`;
      const page = yield* SqlRunJournal.make(database).read(runId);
      assert.deepStrictEqual([page.damage?.seq, page.events.length], [page.lastSeq + 1, page.lastSeq]);
    }).pipe(Effect.scoped),
  );

  it.live("do not tell a last row that is missing of a run that somebody works on", () =>
    Effect.gen(function* () {
      const { database, journal } = yield* withRun;
      for (let n = 0; n < 3; n += 1) yield* journal.append(runId, at(n), events(n + 1, n + 1));
      yield* database.sql`DELETE FROM cahier_event WHERE seq = 3`;
      const page = yield* SqlRunJournal.make(database).read(runId);
      assert.deepStrictEqual([page.lastSeq, page.damage], [2, undefined]);
    }).pipe(Effect.scoped),
  );

  it.live("take runs that were stored before their rest was noted", () =>
    Effect.gen(function* () {
      const opening = yield* open;
      yield* Effect.scoped(
        Effect.gen(function* () {
          const before = yield* opening;
          const journal = SqlRunJournal.make(before);
          yield* journal.create(record);
          yield* journal.append(runId, at(0), [...events(1, 2), Events.letGo(3)]);
          yield* before.sql`ALTER TABLE cahier_run DROP COLUMN rest_seq`;
          yield* before.sql`UPDATE cahier_schema SET version = 1`;
        }),
      );
      const journal = SqlRunJournal.make(yield* opening);
      assert.strictEqual((yield* journal.read(runId)).lastSeq, 3);
      assert.deepStrictEqual(yield* journal.claim(runId, 1, Events.ownerChanged(4)), { epoch: 2, lastSeq: 4 });
      assert.strictEqual(yield* journal.append(runId, at(4, 2), [event(5)]), 5);
    }).pipe(Effect.scoped),
  );

  it.live("name the first of several damaged rows", () =>
    Effect.gen(function* () {
      const { database, journal } = yield* withRun;
      for (let n = 0; n < 9; n += 1) yield* journal.append(runId, at(n), events(n + 1, n + 1));
      const { sql } = database;
      yield* sql`DELETE FROM cahier_event WHERE seq = 7`;
      yield* sql`UPDATE cahier_event SET epoch = 3 WHERE seq = 5`;
      const page = yield* SqlRunJournal.make(database).read(runId);
      assert.deepStrictEqual([page.lastSeq, page.damage?.seq], [4, 5]);
    }).pipe(Effect.scoped),
  );

  it.live("stop before a row whose text is whole and no event", () =>
    Effect.gen(function* () {
      const { database, journal } = yield* withRun;
      for (let n = 0; n < 3; n += 1) yield* journal.append(runId, at(n), events(n + 1, n + 1));
      const { dialect, sql } = database;
      const checksum = RunStatements.checksumOf(dialect, "'[{}]'");
      yield* sql.unsafe(`UPDATE cahier_event SET body = '[{}]', checksum = ${checksum} WHERE seq = 2`);
      const page = yield* SqlRunJournal.make(database).read(runId);
      assert.deepStrictEqual([page.lastSeq, page.damage?.seq, page.events.length], [1, 2, 1]);
    }).pipe(Effect.scoped),
  );

  it.live("take a row that was put in from another run for damage", () =>
    Effect.gen(function* () {
      const { database, journal } = yield* withRun;
      const other = { ...record, runId: RunId.make("run_other") };
      yield* journal.create(other);
      for (const one of [runId, other.runId]) {
        for (let n = 0; n < 3; n += 1) yield* journal.append(one, at(n), events(n + 1, n + 1));
      }
      const { sql } = database;
      const [row] = yield* sql<{ run_key: number }>`SELECT run_key FROM cahier_run WHERE run_id = ${runId}`;
      const key = RunStatements.eventKey(String(row?.run_key), "2");
      yield* sql.unsafe(`DELETE FROM cahier_event WHERE event_key = ${key}`);
      yield* sql.unsafe(`UPDATE cahier_event SET event_key = ${key}, run_key = ${String(row?.run_key)} WHERE seq = 2`);
      const page = yield* SqlRunJournal.make(database).read(runId);
      assert.deepStrictEqual([page.lastSeq, page.damage?.seq], [1, 2]);
      assert.strictEqual(
        (yield* Effect.flip(SqlRunJournal.make(database).append(runId, at(3), events(4, 4))))._tag,
        "Corrupt",
      );
    }).pipe(Effect.scoped),
  );

  it.live("hold nothing of a run that was removed", () =>
    Effect.gen(function* () {
      const { database, journal } = yield* withRun;
      yield* journal.append(runId, at(0), events(1, 5));
      yield* journal.remove(runId);
      for (const table of ["cahier_run", "cahier_event", "cahier_event_edge"]) {
        assert.lengthOf(yield* database.sql`SELECT * FROM ${database.sql(table)}`, 0, table);
      }
    }).pipe(Effect.scoped),
  );

  it.live("hide what a restore has left whose process was lost, until the next restore removes it", () =>
    Effect.gen(function* () {
      const opening = yield* open;
      const given = events(1, 6).map((one, index) => ({ ...one, seq: index + 1, runId, epoch: index < 3 ? 1 : 3 }));
      const lost = yield* Scope.make();
      const before = SqlRunJournal.make(yield* Scope.provide(opening, lost));
      const lose = Effect.as(Scope.close(lost, Exit.void), given.slice(2));
      const restoring = before.create(record, Stream.concat(Stream.make(given.slice(0, 2)), Stream.fromEffect(lose)));
      assert.isTrue(Exit.isFailure(yield* Effect.exit(restoring)));
      const database = yield* opening;
      const journal = SqlRunJournal.make(database);
      const { sql } = database;
      assert.lengthOf(yield* sql`SELECT * FROM cahier_event`, 1);
      assert.deepStrictEqual(yield* journal.list(), []);
      assert.deepInclude(yield* Effect.flip(journal.read(runId)), { _tag: "NotFound" });
      yield* journal.create(record, Stream.make(given));
      assert.lengthOf(yield* sql`SELECT * FROM cahier_event`, 2);
      assert.lengthOf(yield* sql`SELECT * FROM cahier_run`, 1);
      assert.deepStrictEqual((yield* journal.read(runId)).events, given);
    }).pipe(Effect.scoped),
  );

  it.live("take an append of a run that another process has removed and made again", () =>
    Effect.gen(function* () {
      const opening = yield* open;
      const [one, other] = [SqlRunJournal.make(yield* opening), SqlRunJournal.make(yield* opening)];
      yield* one.create(record);
      yield* one.append(runId, at(0), events(1, 3));
      yield* other.remove(runId);
      yield* other.create(record);
      assert.deepInclude(yield* Effect.flip(one.append(runId, at(3), events(4, 4))), { _tag: "Conflict", actual: 0 });
      assert.strictEqual(yield* one.append(runId, at(0), events(1, 2)), 2);
      assert.strictEqual((yield* other.read(runId)).lastSeq, 2);
    }).pipe(Effect.scoped),
  );

  it.live("refuse a payload, a value and a name that they cannot hold, with nothing written", () =>
    Effect.gen(function* () {
      const { journal } = yield* withRun;
      const bad = { ...event(2), payload: undefined as never };
      const fault = yield* Effect.flip(journal.append(runId, at(0), [event(1), bad]));
      assert.deepInclude(fault, { _tag: "Unavailable", kind: "invalid" });
      const named = yield* Effect.flip(journal.create({ ...record, runId: "a/b" as never }));
      assert.deepInclude(named, { _tag: "Unavailable", kind: "invalid" });
      assert.strictEqual((yield* journal.read(runId)).lastSeq, 0);
    }).pipe(Effect.scoped),
  );
};

/** Stores one thing through each port of a layer. */
const useAll = <E>(layer: Layer.Layer<RunJournal | BlobStore | DocumentStore, E>) =>
  Effect.gen(function* () {
    const journal = yield* RunJournal;
    yield* journal.create(record);
    yield* (yield* BlobStore).put(runId, new Uint8Array([1]));
    yield* (yield* DocumentStore).put("policies", "user", 0, {});
    return [
      (yield* journal.list()).length,
      (yield* (yield* BlobStore).list(runId)).length,
      (yield* (yield* DocumentStore).list("policies")).documents.length,
    ];
  }).pipe(Effect.provide(layer));

const fileOf = Effect.map(RealDirectory.make, (directory) => nodePath.join(directory, "cahier.sqlite"));

describe("tables of SQLite", () => {
  onDatabase(Effect.map(fileOf, (filename) => SqlDatabase.sqlite({ filename })));

  it.live("serve the three storage ports by one layer", () =>
    Effect.gen(function* () {
      const filename = yield* fileOf;
      assert.deepStrictEqual(yield* useAll(SqlStorage.layerSqlite({ filename })), [1, 1, 1]);
    }).pipe(Effect.scoped),
  );
});

const server = PostgresServer.lazy();
afterAll(server.stop);

describe.skipIf(PostgresServer.isLacking)(`tables of PostgreSQL${PostgresServer.reason}`, () => {
  onDatabase(Effect.sync(() => SqlDatabase.postgres({ url: server.urlOf(server.freshSchema()) })));

  it.live("serve the three storage ports by one layer", () =>
    Effect.gen(function* () {
      const url = server.urlOf(server.freshSchema());
      assert.deepStrictEqual(yield* useAll(SqlStorage.layerPostgres({ url })), [1, 1, 1]);
    }),
  );
});
