import * as SqliteClient from "@cahier/storage-sql/SqliteClient";
import { assert, describe, it } from "@effect/vitest";
import * as Cause from "effect/Cause";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Reactivity from "effect/reactivity/Reactivity";
import * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import * as nodePath from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as RealDirectory from "./RealDirectory.ts";

/** A client over a file with an empty table `t (n UNIQUE)`, and how many rows another connection sees. */
const make = Effect.gen(function* () {
  const filename = nodePath.join(yield* RealDirectory.make, "client.sqlite");
  const client = yield* SqliteClient.make({ filename });
  yield* client`CREATE TABLE t (n INTEGER UNIQUE)`;
  const other = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(filename)),
    (opened) => Effect.sync(() => opened.close()),
  );
  const seenByOthers = (): unknown => other.prepare("SELECT count(*) AS n FROM t").get()?.["n"];
  return { client, other, seenByOthers };
}).pipe(Effect.provide(Reactivity.layer));

const insert = (n: number) => (run: SqliteClient.Run) => run("INSERT INTO t (n) VALUES (?) RETURNING n", [n])[0]?.["n"];

/** The same as one statement, which gives how many rows it has changed. */
const insertAlone = (n: number) => (run: SqliteClient.Run) => run.changes("INSERT INTO t (n) VALUES (?)", [n]);

const oneStatement = { isOneStatement: true } as const;

const together = { concurrency: "unbounded" } as const;

describe("writes that wait at the same time", () => {
  it.live("run in one transaction, so that others see all of them or none", () =>
    Effect.gen(function* () {
      const { client, seenByOthers } = yield* make;
      const results = yield* Effect.all(
        [
          client.transact(insert(1)),
          client.transact((run) => [insert(2)(run), seenByOthers()]),
          client.transact((run) => [insert(3)(run), seenByOthers()]),
        ],
        together,
      );
      assert.deepStrictEqual(results, [1, [2, 0], [3, 0]]);
      assert.strictEqual(seenByOthers(), 3);
    }).pipe(Effect.scoped),
  );

  it.live("do not share the failure of one of them", () =>
    Effect.gen(function* () {
      const { client, seenByOthers } = yield* make;
      const results = yield* Effect.forEach([1, 1, 2], (n) => Effect.result(client.transact(insert(n))), together);
      assert.deepStrictEqual(
        results.map((result) => result._tag),
        ["Success", "Failure", "Success"],
      );
      assert.strictEqual(seenByOthers(), 2);
    }).pipe(Effect.scoped),
  );

  it.live("do not share the defect of one of them, which leaves nothing of its own", () =>
    Effect.gen(function* () {
      const { client, seenByOthers } = yield* make;
      const defective = (run: SqliteClient.Run) => {
        insert(7)(run);
        throw new Error("a body that is broken");
      };
      const exits = yield* Effect.all(
        [Effect.exit(client.transact(defective)), Effect.exit(client.transact(insert(8)))],
        together,
      );
      assert.isTrue(Exit.isFailure(exits[0]) && Cause.hasDies(exits[0].cause));
      assert.isTrue(Exit.isSuccess(exits[1]));
      assert.strictEqual(seenByOthers(), 1);
    }).pipe(Effect.scoped),
  );

  it.live("of one origin, one after the other, let others of the process come in between", () =>
    Effect.gen(function* () {
      const { client } = yield* make;
      yield* client.transact(insert(100), { origin: 1 });
      const seen = yield* Effect.forkChild(
        Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void))),
        { startImmediately: true },
      );
      let before = 0;
      for (let n = 0; n < 100; n += 1) {
        yield* client.transact(insert(n), { origin: 1 });
        if (seen.pollUnsafe() === undefined) before += 1;
      }
      assert.isBelow(before, 20);
    }).pipe(Effect.scoped),
  );

  it.live("that are one statement each are kept when they return, and share a transaction with others that wait", () =>
    Effect.gen(function* () {
      const { client, seenByOthers } = yield* make;
      assert.strictEqual(yield* client.transact(insertAlone(1), oneStatement), 1);
      assert.strictEqual(seenByOthers(), 1);
      const results = yield* Effect.all(
        [
          client.transact(insertAlone(2), oneStatement),
          client.transact((run) => [insertAlone(3)(run), seenByOthers()], oneStatement),
        ],
        together,
      );
      assert.deepStrictEqual(results, [1, [1, 1]]);
      assert.strictEqual(seenByOthers(), 3);
      const taken = yield* Effect.flip(client.transact(insertAlone(1), oneStatement));
      assert.strictEqual(taken.reason._tag, "UniqueViolation");
      assert.strictEqual(seenByOthers(), 3);
    }).pipe(Effect.scoped),
  );

  it.live("that are one statement each wait for another process", () =>
    Effect.gen(function* () {
      const { client, other, seenByOthers } = yield* make;
      other.exec("BEGIN IMMEDIATE; INSERT INTO t (n) VALUES (1)");
      const write = yield* Effect.forkChild(client.transact(insertAlone(2), oneStatement), { startImmediately: true });
      yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)));
      assert.isUndefined(write.pollUnsafe());
      other.exec("COMMIT");
      assert.strictEqual(yield* Fiber.join(write), 1);
      assert.strictEqual(seenByOthers(), 2);
    }).pipe(Effect.scoped),
  );

  it.live("wait for a transaction that is open on the same client", () =>
    Effect.gen(function* () {
      const { client, seenByOthers } = yield* make;
      const begun = yield* Deferred.make<void>();
      const goOn = yield* Deferred.make<void>();
      const long = yield* Effect.forkChild(
        client.withTransaction(
          Effect.andThen(
            client`INSERT INTO t (n) VALUES (1)`,
            Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(goOn)),
          ),
        ),
      );
      yield* Deferred.await(begun);
      const write = yield* Effect.forkChild(client.transact(insert(2)), { startImmediately: true });
      assert.strictEqual(seenByOthers(), 0);
      yield* Deferred.succeed(goOn, undefined);
      yield* Fiber.join(long);
      assert.strictEqual(yield* Fiber.join(write), 2);
      assert.strictEqual(seenByOthers(), 2);
    }).pipe(Effect.scoped),
  );

  it.live("fail when the client is closed", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make();
      const { client } = yield* Scope.provide(make, scope);
      const late = yield* Effect.forkChild(Effect.flip(client.transact(insert(1))), { startImmediately: true });
      yield* Scope.close(scope, Exit.void);
      assert.include((yield* Fiber.join(late)).message, "closed");
      assert.include((yield* Effect.flip(client.transact(insert(2)))).message, "closed");
    }),
  );
});

describe("a client of SQLite", () => {
  it.live("is an SqlClient: rows, values, streams and classified errors", () =>
    Effect.gen(function* () {
      const { client } = yield* make;
      yield* client`INSERT INTO t ${client.insert([{ n: 1 }, { n: 2 }])}`;
      assert.deepStrictEqual(yield* client`SELECT n FROM t ORDER BY n`.values, [[1], [2]]);
      assert.strictEqual(yield* Stream.runCount(client`SELECT n FROM t`.stream), 2);
      const taken = yield* Effect.flip(client`INSERT INTO t (n) VALUES (1)`);
      assert.strictEqual(taken.reason._tag, "UniqueViolation");
      const unknown = yield* Effect.flip(client`SELECT * FROM nowhere`);
      assert.include(unknown.reason.message, "nowhere");
    }).pipe(Effect.scoped),
  );

  it.live("sees that another connection has committed", () =>
    Effect.gen(function* () {
      const filename = nodePath.join(yield* RealDirectory.make, "two.sqlite");
      const [one, two] = [yield* SqliteClient.make({ filename }), yield* SqliteClient.make({ filename })];
      yield* one`CREATE TABLE t (n INTEGER UNIQUE)`;
      const before = yield* two.dataVersion;
      yield* two.transact(insert(1));
      assert.strictEqual(yield* two.dataVersion, before, "its own commits do not count");
      yield* one.transact(insert(2));
      assert.notStrictEqual(yield* two.dataVersion, before);
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
  );

  it.live("waits without stopping the process while another has the whole file for itself", () =>
    Effect.gen(function* () {
      const filename = nodePath.join(yield* RealDirectory.make, "locked.sqlite");
      const client = yield* SqliteClient.make({ filename });
      yield* client`PRAGMA journal_mode = DELETE`;
      yield* client`CREATE TABLE t (n INTEGER UNIQUE)`;
      const other = new DatabaseSync(filename);
      other.exec("BEGIN EXCLUSIVE; INSERT INTO t (n) VALUES (1)");
      const reading = yield* Effect.forkChild(client`SELECT n FROM t`.values, { startImmediately: true });
      const writing = yield* Effect.forkChild(client.transact(insert(2)), { startImmediately: true });
      yield* Effect.callback<void>((resume) => {
        setImmediate(() => {
          other.exec("COMMIT");
          other.close();
          resume(Effect.void);
        });
      });
      assert.deepInclude(yield* Fiber.join(reading), [1]);
      assert.strictEqual(yield* Fiber.join(writing), 2);
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
  );

  it.live("gives up a read when another keeps the file for itself for too long", () =>
    Effect.gen(function* () {
      const filename = nodePath.join(yield* RealDirectory.make, "locked.sqlite");
      const client = yield* SqliteClient.make({ filename, busyTimeout: 30 });
      yield* client`PRAGMA journal_mode = DELETE`;
      const other = new DatabaseSync(filename);
      other.exec("BEGIN EXCLUSIVE");
      const fault = yield* Effect.flip(client`SELECT * FROM sqlite_schema`);
      assert.strictEqual(fault.reason._tag, "LockTimeoutError");
      other.close();
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
  );
});
