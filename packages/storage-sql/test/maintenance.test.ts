/**
 * Looking after a database.
 */
import * as PostgresServer from "@cahier/postgres-server/PostgresServer";
import * as SqlBlobStore from "@cahier/storage-sql/SqlBlobStore";
import * as SqlDatabase from "@cahier/storage-sql/SqlDatabase";
import * as SqlMaintenance from "@cahier/storage-sql/SqlMaintenance";
import * as SqlRunJournal from "@cahier/storage-sql/SqlRunJournal";
import { afterAll, assert, describe, it } from "@effect/vitest";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import * as fs from "node:fs";
import * as nodePath from "node:path";
import * as Events from "./Events.ts";
import type { Open } from "./Harness.ts";
import * as RealDirectory from "./RealDirectory.ts";

const { at, events, record, runId } = Events;

const given = events(1, 20).map((one, index) => ({ ...one, seq: index + 1, runId, epoch: 1 }));

const onDatabase = (open: Effect.Effect<Open, never, Scope.Scope>) => {
  it.live("a stopped restore is named with its run and its events, and can be removed", () =>
    Effect.gen(function* () {
      const database = yield* yield* open;
      const journal = SqlRunJournal.make(database);
      assert.deepStrictEqual(yield* SqlMaintenance.leftovers(database), []);
      const reached = yield* Deferred.make<void>();
      const waits = Effect.andThen(Deferred.succeed(reached, undefined), Effect.never);
      const pages = Stream.concat(Stream.make(given.slice(0, 7)), Stream.fromEffect(waits));
      const restoring = yield* Effect.forkChild(journal.create(record, pages));
      yield* Deferred.await(reached);
      const [leftover] = yield* SqlMaintenance.leftovers(database);
      assert.deepInclude(leftover, { runId, events: 7 });
      if (leftover !== undefined) yield* SqlMaintenance.remove(database, leftover);
      assert.deepStrictEqual(yield* SqlMaintenance.leftovers(database), []);
      assert.lengthOf(yield* database.sql`SELECT * FROM cahier_event`, 0);
      yield* Fiber.interrupt(restoring);
      yield* journal.create(record, Stream.make(given));
      assert.strictEqual((yield* journal.read(runId)).lastSeq, 20);
    }).pipe(Effect.scoped),
  );

  it.live("pages that are whole are no finding", () =>
    Effect.gen(function* () {
      const database = yield* yield* open;
      yield* SqlRunJournal.make(database).create(record, Stream.make(given));
      assert.deepStrictEqual(yield* SqlMaintenance.check(database), []);
    }).pipe(Effect.scoped),
  );

  it.live("giving space back changes nothing that is stored", () =>
    Effect.gen(function* () {
      const database = yield* yield* open;
      const journal = SqlRunJournal.make(database);
      yield* journal.create(record, Stream.make(given));
      const before = yield* SqlMaintenance.space(database);
      assert.isAbove(before.bytes, 0);
      yield* SqlMaintenance.compact(database);
      assert.deepStrictEqual((yield* journal.read(runId)).events, given);
      assert.strictEqual(yield* journal.append(runId, at(20), events(21, 21)), 21);
    }).pipe(Effect.scoped),
  );
};

const fileOf = Effect.map(RealDirectory.make, (directory) => nodePath.join(directory, "cahier.sqlite"));

describe("in an SQLite file", () => {
  onDatabase(Effect.map(fileOf, (filename) => SqlDatabase.sqlite({ filename })));

  it.live("the space of what was removed is used again before the file grows, and can be given back", () =>
    Effect.gen(function* () {
      const filename = yield* fileOf;
      const database = yield* SqlDatabase.sqlite({ filename });
      const blobs = SqlBlobStore.make(database);
      const size = (): number => fs.statSync(filename).size;
      yield* blobs.put(runId, new Uint8Array(1_000_000));
      const full = (yield* SqlMaintenance.space(database)).bytes;
      yield* blobs.removeScope(runId);
      const { freeBytes } = yield* SqlMaintenance.space(database);
      assert.isAbove(freeBytes, 900_000);
      yield* blobs.put(runId, new Uint8Array(900_000));
      assert.isAtMost((yield* SqlMaintenance.space(database)).bytes, full);
      yield* blobs.removeScope(runId);
      yield* SqlMaintenance.compact(database);
      assert.strictEqual((yield* SqlMaintenance.space(database)).freeBytes, 0);
      assert.isBelow(size(), 200_000);
    }).pipe(Effect.scoped),
  );

  it.live("pages that are damaged are named", () =>
    Effect.gen(function* () {
      const filename = yield* fileOf;
      const rootOf = Effect.fnUntraced(function* () {
        const database = yield* SqlDatabase.sqlite({ filename });
        yield* SqlRunJournal.make(database).create(record, Stream.make(given));
        const { sql } = database;
        const [table] = yield* sql<{
          rootpage: number;
        }>`SELECT rootpage FROM sqlite_schema WHERE name = 'cahier_event'`;
        return table?.rootpage ?? 0;
      }, Effect.scoped);
      const root = yield* rootOf();
      const bytes = fs.readFileSync(filename);
      bytes.fill(7, (root - 1) * 4096, root * 4096);
      fs.writeFileSync(filename, bytes);
      assert.isNotEmpty(yield* SqlMaintenance.check(yield* SqlDatabase.sqlite({ filename })));
    }).pipe(Effect.scoped),
  );
});

const server = PostgresServer.lazy();
afterAll(server.stop);

describe.skipIf(PostgresServer.isLacking)(`in a PostgreSQL database${PostgresServer.reason}`, () => {
  onDatabase(Effect.sync(() => SqlDatabase.postgres({ url: server.urlOf(server.freshSchema()) })));
});
