/**
 * A database that goes away while runs are carried on: what each operation says, and that nothing is lost.
 */
import * as PostgresServer from "@cahier/postgres-server/PostgresServer";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as SqlBlobStore from "@cahier/storage-sql/SqlBlobStore";
import * as SqlDatabase from "@cahier/storage-sql/SqlDatabase";
import * as SqlDocumentStore from "@cahier/storage-sql/SqlDocumentStore";
import * as SqlRunJournal from "@cahier/storage-sql/SqlRunJournal";
import { afterAll, assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as nodePath from "node:path";
import * as Events from "./Events.ts";
import * as RealDirectory from "./RealDirectory.ts";

const { at, events, record, runId } = Events;

/** The fact that something fails with, which must be that the storage cannot. */
const unavailable = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
  const fault = yield* Effect.flip(effect);
  assert.instanceOf(fault, Unavailable);
  return fault instanceof Unavailable ? fault : assert.fail("another fault");
});

describe("an SQLite file", () => {
  const prepared = Effect.gen(function* () {
    const filename = nodePath.join(yield* RealDirectory.make, "cahier.sqlite");
    const scope = yield* Scope.make();
    const database = yield* Scope.provide(SqlDatabase.sqlite({ filename }), scope);
    const journal = SqlRunJournal.make(database);
    yield* journal.create(record);
    yield* journal.append(runId, at(0), events(1, 3));
    return { database, filename, journal, scope };
  });

  it.live(
    "that is moved away while it is open takes no append, blob or document, and has all that returned before",
    () =>
      Effect.gen(function* () {
        const { database, filename, journal, scope } = yield* prepared;
        const aside = `${filename}.aside`;
        for (const end of ["", "-wal", "-shm"]) fs.renameSync(filename + end, aside + end);
        const faults = yield* Effect.all([
          unavailable(journal.append(runId, at(3), events(4, 4))),
          unavailable(SqlBlobStore.make(database).put(runId, new Uint8Array(1))),
          unavailable(SqlDocumentStore.make(database).put("settings", "host", 0, {})),
        ]);
        for (const fault of faults) assert.include(fault.detail, `${filename} was removed or replaced`);
        yield* Scope.close(scope, Exit.void);
        for (const end of ["", "-wal", "-shm"])
          if (fs.existsSync(aside + end)) fs.renameSync(aside + end, filename + end);
        const again = SqlRunJournal.make(yield* SqlDatabase.sqlite({ filename }));
        const page = yield* again.read(runId);
        assert.isUndefined(page.damage);
        assert.deepStrictEqual(
          page.events.slice(0, 3).map((one) => one.seq),
          [1, 2, 3],
        );
        assert.strictEqual(yield* again.append(runId, at(page.lastSeq), events(5, 5)), page.lastSeq + 1);
      }).pipe(Effect.scoped),
  );

  it.live("that is removed with its folder says so to every run of a shared transaction", () =>
    Effect.gen(function* () {
      const { filename, journal } = yield* prepared;
      fs.rmSync(nodePath.dirname(filename), { recursive: true });
      const faults = yield* Effect.all(
        [
          unavailable(journal.append(runId, at(3), events(4, 4))),
          unavailable(journal.claim(runId, 1, Events.ownerChanged(4))),
        ],
        { concurrency: "unbounded" },
      );
      for (const fault of faults) assert.include(fault.detail, "was removed or replaced");
    }).pipe(Effect.scoped),
  );

  it.live("that another file has replaced takes nothing from whoever has the first one open", () =>
    Effect.gen(function* () {
      const { filename, journal } = yield* prepared;
      for (const end of ["", "-wal", "-shm"]) fs.rmSync(filename + end);
      const other = SqlRunJournal.make(yield* SqlDatabase.sqlite({ filename }));
      yield* other.create(record);
      yield* unavailable(journal.append(runId, at(3), events(4, 4)));
      assert.strictEqual((yield* other.read(runId)).lastSeq, 0);
    }).pipe(Effect.scoped),
  );
});

const server = PostgresServer.lazy();
afterAll(server.stop);

/** Kills the server as a loss of power would; gives the way to start it again. */
const killServer = (): (() => void) => {
  const { execute } = server.get();
  const setting = (name: string): string => execute(`SHOW ${name}`);
  const data = setting("data_directory");
  const kept = ["listen_addresses", "port", "unix_socket_directories", "max_connections", "fsync"];
  const options = kept.map((name) => `-c ${name}=${setting(name)}`).join(" ");
  const program = nodePath.join(execute("SELECT setting FROM pg_config WHERE name = 'BINDIR'"), "pg_ctl");
  const run = (...args: ReadonlyArray<string>): void => {
    const given = [program, "-D", data, "-w", ...args];
    const [command = program, ...rest] =
      process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--", ...given] : given;
    childProcess.execFileSync(command, rest, { stdio: "ignore", cwd: "/" });
  };
  run("-m", "immediate", "stop");
  return () => run("-l", nodePath.join(data, "log-again"), "-o", options, "start");
};

describe.skipIf(PostgresServer.isLacking)(`a PostgreSQL server${PostgresServer.reason}`, () => {
  it.live("that is killed fails appends, pages and tails as unavailable, and all goes on when it is back", () =>
    Effect.gen(function* () {
      const database = yield* SqlDatabase.postgres({ url: server.urlOf(server.freshSchema()) });
      const journal = SqlRunJournal.make(database);
      const blobs = SqlBlobStore.make(database);
      yield* journal.create(record);
      yield* journal.append(runId, at(0), events(1, 3));
      const sha256 = yield* blobs.put(runId, new Uint8Array([1, 2, 3]));
      const tail = yield* Effect.forkChild(Effect.flip(Stream.runDrain(journal.tail(runId, 3))));
      const restart = killServer();
      const faults = yield* Effect.all([
        unavailable(journal.append(runId, at(3), events(4, 5))),
        unavailable(journal.read(runId)),
        unavailable(journal.list()),
        unavailable(journal.claim(runId, 1, Events.ownerChanged(4))),
        unavailable(blobs.get(runId, sha256)),
        unavailable(SqlDocumentStore.make(database).put("settings", "host", 0, {})),
        unavailable(Effect.flatMap(Fiber.join(tail), Effect.fail)),
      ]);
      for (const fault of faults) assert.strictEqual(fault.kind, "other");
      restart();
      assert.strictEqual((yield* journal.read(runId)).lastSeq, 3);
      assert.strictEqual(yield* journal.append(runId, at(3), events(4, 5)), 5);
      assert.deepStrictEqual([...(yield* blobs.get(runId, sha256))], [1, 2, 3]);
      const tailed = yield* Stream.runCollect(Stream.take(journal.tail(runId, 3), 2));
      assert.deepStrictEqual(
        tailed.map((one) => one.seq),
        [4, 5],
      );
    }).pipe(Effect.scoped),
  );
});
