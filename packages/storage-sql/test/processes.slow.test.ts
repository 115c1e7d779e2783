/**
 * Several real processes on one database: conflicts, claims, a shared counter, a tail, and kills in mid-append.
 */
import * as SqlDatabase from "@cahier/storage-sql/SqlDatabase";
import * as SqlDocumentStore from "@cahier/storage-sql/SqlDocumentStore";
import * as SqlRunJournal from "@cahier/storage-sql/SqlRunJournal";
import { afterAll, assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Schema from "effect/Schema";
import type * as Scope from "effect/Scope";
import * as Stream from "effect/Stream";
import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as nodePath from "node:path";
import * as url from "node:url";
import * as Events from "./Events.ts";
import * as PostgresServer from "@cahier/postgres-server/PostgresServer";
import * as RealDirectory from "./RealDirectory.ts";

const { at, events, record, runId } = Events;

const repository = url.fileURLToPath(new URL("../../../", import.meta.url));
const script = url.fileURLToPath(new URL("processes/writer.ts", import.meta.url));

/** The product's Node, which runs TypeScript, where the tests run on an older one. */
const node = [nodePath.join(repository, "node_modules/.bin/node"), process.execPath].find((path) =>
  fs.existsSync(path),
);
const flags = ["--conditions=@cahier/source", "--no-warnings", script];

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.Json)));

/** Runs the script in a process of its own; the result is the line that it prints. */
const spawn = (...args: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Schema.Json>, Error> =>
  Effect.callback((resume) => {
    childProcess.execFile(node ?? "node", [...flags, ...args], (error, stdout) =>
      resume(error === null ? Effect.sync(() => decode(stdout)) : Effect.fail(error)),
    );
  });

/** Lets the script flood the run and kills it when it has told of so many appends; gives the last that it told of. */
const killAfter = (place: string, told: number): Effect.Effect<number> =>
  Effect.callback((resume) => {
    const child = childProcess.spawn(node ?? "node", [...flags, place, "flood"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const said: Array<string> = [];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said.push(text);
      if (said.join("").split("\n").length > told) child.kill("SIGKILL");
    });
    child.on("close", () => resume(Effect.succeed(Number(said.join("").trimEnd().split("\n").at(-1)))));
  });

const openAt = (place: string) =>
  place.startsWith("postgres:") ? SqlDatabase.postgres({ url: place }) : SqlDatabase.sqlite({ filename: place });

const readAll = Effect.fnUntraced(function* (place: string) {
  const journal = SqlRunJournal.make(yield* openAt(place));
  const page = yield* journal.read(runId);
  const all = yield* journal.tail(runId, 0).pipe(Stream.take(page.lastSeq), Stream.runCollect);
  return { journal, page, events: all };
});

const server = PostgresServer.lazy();
afterAll(server.stop);

/** The tests on one kind of database; `fresh` makes an empty one and says where it is. */
const onDatabase = (fresh: Effect.Effect<string, never, Scope.Scope>) => {
  /** An empty database with a run in it. */
  const withRun = Effect.gen(function* () {
    const place = yield* fresh;
    yield* Effect.scoped(Effect.flatMap(openAt(place), (database) => SqlRunJournal.make(database).create(record)));
    return place;
  });

  it.live(
    "that append to one run have each batch that they were told of in the journal once, whole and in order",
    () =>
      Effect.gen(function* () {
        const place = yield* withRun;
        const won = yield* Effect.all([spawn(place, "append", "40", "1"), spawn(place, "append", "40", "2")], {
          concurrency: "unbounded",
        });
        const { events: found, page } = yield* readAll(place);
        assert.isUndefined(page.damage);
        const written = found.map((one) => one.payload);
        assert.sameDeepMembers(
          written.filter((_, index) => index % 3 === 0),
          won.flat().map((n) => ({ n })),
        );
        for (let index = 0; index < written.length; index += 3) {
          const n = Number(Object.values(written[index] ?? {})[0]);
          assert.deepStrictEqual(written.slice(index, index + 3), [{ n }, { n: n + 1 }, { n: n + 2 }]);
        }
      }).pipe(Effect.scoped),
    60_000,
  );

  it.live(
    "that claim one run never have the same epoch, and what an owner was told of is in the journal",
    () =>
      Effect.gen(function* () {
        const place = yield* withRun;
        const won = yield* Effect.all([spawn(place, "claim", "25", "1"), spawn(place, "claim", "25", "2")], {
          concurrency: "unbounded",
        });
        const { events: found, page } = yield* readAll(place);
        assert.isUndefined(page.damage);
        const owners = found.filter((one) => one.type === "run_owner_changed").map((one) => one.epoch);
        assert.deepStrictEqual(
          owners,
          Array.from({ length: 50 }, (_, index) => index + 2),
        );
        const told: ReadonlyArray<unknown> = won.flat();
        assert.sameDeepMembers(
          found.map((one) => [one.type, one.epoch]),
          [...told],
        );
      }).pipe(Effect.scoped),
    60_000,
  );

  it.live(
    "that raise one counter document lose no step",
    () =>
      Effect.gen(function* () {
        const place = yield* fresh;
        const won = yield* Effect.all(
          [spawn(place, "count", "60"), spawn(place, "count", "60"), spawn(place, "count", "60")],
          { concurrency: "unbounded" },
        );
        const document = yield* SqlDocumentStore.make(yield* openAt(place)).get("counters", "shared");
        assert.deepStrictEqual([document.revision, document.value], [180, 180]);
        assert.sameDeepMembers(
          won.flat(),
          Array.from({ length: 180 }, (_, index) => index + 1),
        );
      }).pipe(Effect.scoped),
    60_000,
  );

  it.live(
    "share a tail: what one appends, the other is given",
    () =>
      Effect.gen(function* () {
        const place = yield* withRun;
        const journal = SqlRunJournal.make(yield* openAt(place));
        const tail = yield* Effect.forkChild(journal.tail(runId, 0).pipe(Stream.take(30), Stream.runCollect), {
          startImmediately: true,
        });
        yield* spawn(place, "append", "10");
        assert.deepStrictEqual(
          (yield* Fiber.join(tail)).map((one) => one.payload),
          events(0, 29).map((one) => one.payload),
        );
      }).pipe(Effect.scoped),
    60_000,
  );

  it.live(
    "that are killed in mid-append lose nothing that they were told of and leave no part of a batch",
    () =>
      Effect.gen(function* () {
        const place = yield* withRun;
        for (const told of [1, 2, 5, 9, 14, 20]) {
          const lastTold = yield* killAfter(place, told);
          const { page } = yield* Effect.scoped(readAll(place));
          assert.isAtLeast(page.lastSeq, lastTold);
          assert.isUndefined(page.damage);
        }
        const { events: found, journal, page } = yield* readAll(place);
        assert.strictEqual(page.epoch, 7);
        for (let epoch = 2; epoch <= 7; epoch += 1) {
          const ofOwner = found.filter((one) => one.epoch === epoch);
          assert.strictEqual(ofOwner[0]?.type, "run_owner_changed");
          assert.strictEqual((ofOwner.length - 1) % 3, 0, `epoch ${epoch} ends with a part of a batch`);
        }
        assert.strictEqual(yield* journal.append(runId, at(page.lastSeq, page.epoch), events(1, 1)), page.lastSeq + 1);
      }).pipe(Effect.scoped),
    60_000,
  );
};

describe("processes on one SQLite file", () => {
  onDatabase(Effect.map(RealDirectory.make, (directory) => nodePath.join(directory, "cahier.sqlite")));
});

describe.skipIf(PostgresServer.isLacking)(`processes on one PostgreSQL server${PostgresServer.reason}`, () => {
  onDatabase(Effect.sync(() => server.urlOf(server.freshSchema())));
});
