/**
 * What a database reports when it cannot, as the facts of the ports; and databases that are not ours.
 */
import { InvocationId } from "@cahier/domain/identity/Identity";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as SqlBlobStore from "@cahier/storage-sql/SqlBlobStore";
import * as SqlDatabase from "@cahier/storage-sql/SqlDatabase";
import * as SqlDocumentStore from "@cahier/storage-sql/SqlDocumentStore";
import * as SqlRunJournal from "@cahier/storage-sql/SqlRunJournal";
import { VersionUnsupported } from "@cahier/storage-sql/VersionUnsupported";
import * as PgClient from "@effect/sql-pg/PgClient";
import { afterAll, assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Queue from "effect/Queue";
import * as Reactivity from "effect/reactivity/Reactivity";
import * as Redacted from "effect/Redacted";
import * as Stream from "effect/Stream";
import * as fs from "node:fs";
import * as nodePath from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as Events from "./Events.ts";
import type { Open } from "./Harness.ts";
import * as PostgresServer from "@cahier/postgres-server/PostgresServer";
import * as RealDirectory from "./RealDirectory.ts";

const { at, events, record, runId } = Events;

const inDirectory = Effect.map(RealDirectory.make, (directory) => nodePath.join(directory, "deep", "cahier.sqlite"));

/** The kind of the fact that something fails with. */
const kindOf = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<string, A> =>
  Effect.map(Effect.flip(effect), (fault) => (fault instanceof Unavailable ? fault.kind : String(fault)));

/** A database with a run of three events. */
const prepared = Effect.fnUntraced(function* (open: Open) {
  const database = yield* open;
  const journal = SqlRunJournal.make(database);
  yield* journal.create(record);
  yield* journal.append(runId, at(0), events(1, 3));
  return { database, journal };
});

const versionOf = (open: Open) => Effect.flip(Effect.scoped(open));

const otherVersion = Effect.fnUntraced(function* (open: Open) {
  yield* Effect.scoped(Effect.flatMap(open, ({ sql }) => sql`UPDATE cahier_schema SET version = 99`));
  const fault = yield* versionOf(open);
  assert.instanceOf(fault, VersionUnsupported);
  assert.deepStrictEqual(
    [fault.code, fault.kind, fault.found, fault.supported],
    ["journal.version_unsupported", "newer", 99, 2],
  );
  assert.include(fault.message, "newer");
});

const setUpTogether = Effect.fnUntraced(function* (open: Open) {
  const databases = yield* Effect.all([open, open, open, open], { concurrency: "unbounded" });
  yield* SqlRunJournal.make(databases[0]).create(record);
  assert.strictEqual((yield* SqlRunJournal.make(databases[3]).read(runId)).lastSeq, 0);
}, Effect.scoped);

/** The state between the two transactions of a first opening. */
const setUpFromVersion0 = Effect.fnUntraced(function* (open: Open) {
  const { sql } = yield* open;
  const tables = ["cahier_run", "cahier_event", "cahier_event_edge", "cahier_blob", "cahier_document"];
  yield* Effect.forEach(tables, (table) => sql`DROP TABLE ${sql(table)}`);
  yield* sql`UPDATE cahier_schema SET version = 0`;
  const { journal } = yield* prepared(open);
  assert.strictEqual((yield* journal.read(runId)).lastSeq, 3);
}, Effect.scoped);

const foreign = Effect.fnUntraced(function* (open: Open) {
  const fault = yield* versionOf(open);
  assert.instanceOf(fault, VersionUnsupported);
  assert.deepStrictEqual([fault.code, fault.kind, fault.found], ["journal.version_unsupported", "foreign", 0]);
  return fault.message;
});

describe("SQLite", () => {
  it.live("makes the folder of its file, and finds everything again when it is opened anew", () =>
    Effect.gen(function* () {
      const filename = yield* inDirectory;
      yield* Effect.scoped(prepared(SqlDatabase.sqlite({ filename })));
      const journal = SqlRunJournal.make(yield* SqlDatabase.sqlite({ filename }));
      assert.strictEqual((yield* journal.read(runId)).lastSeq, 3);
    }).pipe(Effect.scoped),
  );

  it.live("syncs each commit to the disk before it returns, and lets readers go on while another writes", () =>
    Effect.gen(function* () {
      const { sql } = yield* SqlDatabase.sqlite({ filename: yield* inDirectory });
      assert.deepInclude((yield* sql`PRAGMA synchronous`)[0], { synchronous: 2 });
      assert.deepInclude((yield* sql`PRAGMA journal_mode`)[0], { journal_mode: "wal" });
    }).pipe(Effect.scoped),
  );

  it.live("that is full writes nothing, says so, and goes on when there is space again", () =>
    Effect.gen(function* () {
      const { database, journal } = yield* prepared(SqlDatabase.sqlite({ filename: yield* inDirectory }));
      const { sql } = database;
      yield* sql.unsafe("PRAGMA max_page_count = 40");
      const large = events(4, 5).map((event) => ({ ...event, payload: "x".repeat(200_000) }));
      const [full, small] = yield* Effect.all(
        [Effect.flip(journal.append(runId, at(3), large)), journal.append(runId, at(3), events(4, 4))],
        { concurrency: "unbounded" },
      );
      assert.deepInclude(full, { _tag: "Unavailable", kind: "full" });
      assert.strictEqual(small, 4, "an append of the same transaction is not drawn into it");
      assert.strictEqual(yield* kindOf(SqlBlobStore.make(database).put(runId, new Uint8Array(400_000))), "full");
      yield* sql.unsafe("PRAGMA max_page_count = 100000");
      assert.strictEqual(yield* journal.append(runId, at(4), large), 6);
    }).pipe(Effect.scoped),
  );

  it.live("that may only be read can be read and takes no append, claim, blob or document", () =>
    Effect.gen(function* () {
      const filename = yield* inDirectory;
      yield* prepared(SqlDatabase.sqlite({ filename }));
      const database = yield* SqlDatabase.sqlite({ filename: `file:${filename}?mode=ro` });
      const journal = SqlRunJournal.make(database);
      assert.strictEqual((yield* journal.read(runId)).lastSeq, 3);
      const kinds = yield* Effect.all([
        kindOf(journal.append(runId, at(3), events(4, 4))),
        kindOf(journal.claim(runId, 1, Events.ownerChanged(4))),
        kindOf(SqlBlobStore.make(database).put(runId, new Uint8Array(1))),
        kindOf(SqlDocumentStore.make(database).put("policies", "user", 0, {})),
      ]);
      assert.deepStrictEqual(kinds, ["readOnly", "readOnly", "readOnly", "readOnly"]);
    }).pipe(Effect.scoped),
  );

  it.live("that another process keeps locked fails an append after a while, with nothing written", () =>
    Effect.gen(function* () {
      const filename = yield* inDirectory;
      const { journal } = yield* prepared(SqlDatabase.sqlite({ filename, busyTimeout: 50 }));
      const other = new DatabaseSync(filename);
      other.exec("BEGIN IMMEDIATE");
      const fault = yield* Effect.flip(journal.append(runId, at(3), events(4, 4)));
      assert.deepInclude(fault, { _tag: "Unavailable", kind: "other" });
      assert.include(JSON.stringify(fault), "the database is busy");
      other.exec("ROLLBACK");
      other.close();
      assert.strictEqual(yield* journal.append(runId, at(3), events(4, 4)), 4);
    }).pipe(Effect.scoped),
  );

  it.live("that another process keeps locked for a moment lets an append wait for its turn", () =>
    Effect.gen(function* () {
      const filename = yield* inDirectory;
      const { journal } = yield* prepared(SqlDatabase.sqlite({ filename }));
      const other = new DatabaseSync(filename);
      other.exec("BEGIN IMMEDIATE");
      const appending = yield* Effect.forkChild(journal.append(runId, at(3), events(4, 4)), {
        startImmediately: true,
      });
      yield* Effect.callback<void>((resume) => {
        setImmediate(() => {
          other.exec("COMMIT");
          other.close();
          resume(Effect.void);
        });
      });
      assert.strictEqual(yield* Fiber.join(appending), 4);
    }).pipe(Effect.scoped),
  );

  it.live("whose pages are damaged is corrupt where the port can say so, and else unavailable", () =>
    Effect.gen(function* () {
      const filename = yield* inDirectory;
      const roots = yield* Effect.scoped(
        Effect.gen(function* () {
          const { database } = yield* prepared(SqlDatabase.sqlite({ filename }));
          yield* SqlDocumentStore.make(database).put("policies", "user", 0, {});
          yield* SqlBlobStore.make(database).put(runId, new Uint8Array(1));
          const tables = ["cahier_event", "cahier_document", "cahier_blob"];
          const { sql } = database;
          return yield* sql<{ rootpage: number }>`SELECT rootpage FROM sqlite_schema WHERE name IN ${sql.in(tables)}`;
        }),
      );
      const bytes = fs.readFileSync(filename);
      for (const { rootpage } of roots) bytes.fill(7, (rootpage - 1) * 4096, rootpage * 4096);
      fs.writeFileSync(filename, bytes);
      const database = yield* SqlDatabase.sqlite({ filename });
      const journal = SqlRunJournal.make(database);
      const found = yield* Effect.all([
        Effect.flip(journal.append(runId, at(3), events(4, 4))),
        Effect.flip(journal.claim(runId, 1, Events.ownerChanged(4))),
        Effect.flip(SqlDocumentStore.make(database).get("policies", "user")),
        Effect.flip(SqlBlobStore.make(database).get(runId, Sha256.ofBytes(new Uint8Array(1)))),
        Effect.flip(journal.read(runId)),
      ]);
      assert.deepStrictEqual(
        found.map((fault) => fault._tag),
        ["Corrupt", "Corrupt", "Corrupt", "Corrupt", "Unavailable"],
      );
    }).pipe(Effect.scoped),
  );

  it.live("of a later release is not opened: journal.version_unsupported", () =>
    Effect.gen(function* () {
      yield* otherVersion(SqlDatabase.sqlite({ filename: yield* inDirectory }));
    }).pipe(Effect.scoped),
  );

  it.live("is set up once by processes that open it at the same time", () =>
    Effect.gen(function* () {
      yield* setUpTogether(SqlDatabase.sqlite({ filename: yield* inDirectory }));
    }).pipe(Effect.scoped),
  );

  it.live("whose setting up was cut off is set up to its end", () =>
    Effect.gen(function* () {
      yield* setUpFromVersion0(SqlDatabase.sqlite({ filename: yield* inDirectory }));
    }).pipe(Effect.scoped),
  );

  it.live("of another program is not opened and not changed", () =>
    Effect.gen(function* () {
      const directory = yield* RealDirectory.make;
      const filename = nodePath.join(directory, "other.sqlite");
      const other = new DatabaseSync(filename);
      other.exec("CREATE TABLE invoices (id INTEGER)");
      assert.include(yield* foreign(SqlDatabase.sqlite({ filename })), "invoices");
      assert.deepInclude(other.prepare("SELECT count(*) AS tables FROM sqlite_schema").get(), { tables: 1 });
      other.exec("DROP TABLE invoices; CREATE TABLE cahier_schema (product TEXT, version INTEGER)");
      assert.include(yield* foreign(SqlDatabase.sqlite({ filename })), "cahier_schema");
      other.close();
    }).pipe(Effect.scoped),
  );

  it.live("that is no database at all is unavailable", () =>
    Effect.gen(function* () {
      const directory = yield* RealDirectory.make;
      const filename = nodePath.join(directory, "notes.txt");
      fs.writeFileSync(filename, "a text that is long enough to be looked at as a database's header".repeat(20));
      assert.strictEqual(yield* kindOf(Effect.scoped(SqlDatabase.sqlite({ filename }))), "other");
      assert.strictEqual(yield* kindOf(Effect.scoped(SqlDatabase.sqlite({ filename: directory }))), "other");
    }).pipe(Effect.scoped),
  );
});

const server = PostgresServer.lazy();
afterAll(server.stop);

describe.skipIf(PostgresServer.isLacking)(`PostgreSQL${PostgresServer.reason}`, () => {
  /** A fresh database of the server, and how to reach it with other settings. */
  const fresh = () => {
    const schema = server.freshSchema();
    const reach = (settings = "") => SqlDatabase.postgres({ url: server.urlOf(schema, settings) });
    return { schema, open: reach(), reach };
  };

  it.live("has what it returned for on its disk, whatever the server's default is", () =>
    Effect.gen(function* () {
      server.get().execute("ALTER ROLE postgres SET synchronous_commit = off");
      const { sql } = yield* fresh().open;
      const setting = yield* sql`SHOW synchronous_commit`;
      server.get().execute("ALTER ROLE postgres RESET synchronous_commit");
      assert.deepStrictEqual(setting, [{ synchronous_commit: "on" }]);
    }).pipe(Effect.scoped),
  );

  it.live("that may only be read can be read and takes no append, claim, blob or document", () =>
    Effect.gen(function* () {
      const { open, reach } = fresh();
      yield* prepared(open);
      const database = yield* reach("-c default_transaction_read_only=on");
      const journal = SqlRunJournal.make(database);
      assert.strictEqual((yield* journal.read(runId)).lastSeq, 3);
      const kinds = yield* Effect.all([
        kindOf(journal.append(runId, at(3), events(4, 4))),
        kindOf(journal.claim(runId, 1, Events.ownerChanged(4))),
        kindOf(SqlBlobStore.make(database).put(runId, new Uint8Array(1))),
        kindOf(SqlDocumentStore.make(database).put("policies", "user", 0, {})),
      ]);
      assert.deepStrictEqual(kinds, ["readOnly", "readOnly", "readOnly", "readOnly"]);
    }).pipe(Effect.scoped),
  );

  it.live("that reports a full disk writes nothing, and goes on when there is space again", () =>
    Effect.gen(function* () {
      const { open, schema } = fresh();
      const { journal } = yield* prepared(open);
      const { execute } = server.get();
      execute(`CREATE FUNCTION ${schema}.no_space() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`);
      execute(`CREATE TRIGGER no_space BEFORE INSERT ON ${schema}.cahier_event_edge
        EXECUTE FUNCTION ${schema}.no_space()`);
      const ofChild = [{ ...Events.event(4), eventScope: { invocationId: InvocationId.make("inv_child") } }];
      assert.strictEqual(yield* kindOf(journal.append(runId, at(3), ofChild)), "full");
      execute(`DROP TRIGGER no_space ON ${schema}.cahier_event_edge`);
      assert.strictEqual((yield* journal.read(runId)).lastSeq, 3);
      assert.strictEqual(yield* journal.append(runId, at(3), ofChild), 4);
    }).pipe(Effect.scoped),
  );

  it.live("that is gone in the middle of an append fails it with nothing written, and takes it when it is back", () =>
    Effect.gen(function* () {
      const { open } = fresh();
      const { journal } = yield* prepared(open);
      const other = yield* open;
      const appending = yield* other.sql.withTransaction(
        Effect.gen(function* () {
          yield* other.sql`SELECT 1 FROM cahier_run FOR UPDATE`;
          const waiting = yield* Effect.forkDetach(Effect.result(journal.append(runId, at(3), events(4, 5))));
          const kick = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
          yield* Effect.repeat(
            Effect.sync(() => server.get().execute(kick)),
            { until: (count) => count === "1" },
          );
          return yield* Fiber.join(waiting);
        }),
      );
      assert.strictEqual(appending._tag, "Failure");
      assert.strictEqual((yield* journal.read(runId)).lastSeq, 3);
      assert.strictEqual(yield* journal.append(runId, at(3), events(4, 5)), 5);
    }).pipe(Effect.scoped),
  );

  it.live("carries a message about each changed run to whoever listens", () =>
    Effect.gen(function* () {
      const { open, schema } = fresh();
      const client = yield* PgClient.make({ url: Redacted.make(server.urlOf(schema)) });
      const messages = yield* client.listen("cahier_runs");
      const { journal } = yield* prepared(open);
      assert.strictEqual((yield* Queue.take(messages)).payload, runId, "made, and appended to");
      yield* journal.claim(runId, 1, Events.ownerChanged(4));
      assert.strictEqual((yield* Queue.take(messages)).payload, runId);
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
  );

  it.live("whose connections are lost does not end a tail", () =>
    Effect.gen(function* () {
      const { open } = fresh();
      const { journal } = yield* prepared(open);
      const tail = yield* Effect.forkChild(journal.tail(runId, 3).pipe(Stream.take(2), Stream.runCollect), {
        startImmediately: true,
      });
      const other = SqlRunJournal.make(yield* open);
      yield* other.append(runId, at(3), events(4, 4));
      server
        .get()
        .execute(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cahier' AND query LIKE 'LISTEN%'`,
        );
      yield* other.append(runId, at(4), events(5, 5));
      assert.deepStrictEqual(
        (yield* Fiber.join(tail)).map((event) => event.seq),
        [4, 5],
      );
    }).pipe(Effect.scoped),
  );

  it.live("that cannot be reached is unavailable, and one that lets nobody in is denied", () =>
    Effect.gen(function* () {
      const unreachable = SqlDatabase.postgres({ url: "postgres://postgres@127.0.0.1:1/postgres" });
      assert.strictEqual(yield* kindOf(Effect.scoped(unreachable)), "other");
      const stranger = server.get().url.replace("postgres@", "stranger@");
      assert.strictEqual(yield* kindOf(Effect.scoped(SqlDatabase.postgres({ url: stranger }))), "denied");
      server.get().execute("CREATE ROLE reader LOGIN");
      const reader = server.get().url.replace("postgres@", "reader@");
      assert.strictEqual(yield* kindOf(Effect.scoped(SqlDatabase.postgres({ url: reader }))), "denied");
    }).pipe(Effect.scoped),
  );

  it.live("that cannot hold every character is refused", () =>
    Effect.gen(function* () {
      server.get().execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
      const url = server.get().url.replace(/postgres$/, "latin");
      assert.strictEqual(yield* kindOf(Effect.scoped(SqlDatabase.postgres({ url }))), "invalid");
    }).pipe(Effect.scoped),
  );

  it.live("of a later release is not opened: journal.version_unsupported", () => otherVersion(fresh().open));

  it.live("has room for the tables of others, and none for foreign tables of our names", () =>
    Effect.gen(function* () {
      const { open, schema } = fresh();
      const { execute } = server.get();
      execute(`CREATE TABLE ${schema}.invoices (id INTEGER); CREATE TABLE ${schema}.cahier_run (id INTEGER)`);
      assert.include(yield* foreign(open), "cahier_run");
      execute(`DROP TABLE ${schema}.cahier_run`);
      yield* Effect.scoped(prepared(open));
    }).pipe(Effect.scoped),
  );

  it.live("is set up once by processes that open it at the same time", () => setUpTogether(fresh().open));

  it.live("whose setting up was cut off is set up to its end", () => setUpFromVersion0(fresh().open));
});
