import * as FileDocumentStore from "@cahier/storage-file/FileDocumentStore";
import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Schema from "effect/Schema";
import * as Stream from "effect/Stream";
import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as nodePath from "node:path";
import * as url from "node:url";
import * as Events from "./Events.ts";
import * as RealDirectory from "./RealDirectory.ts";

const { record, runId } = Events;

const repository = url.fileURLToPath(new URL("../../../", import.meta.url));
const script = url.fileURLToPath(new URL("processes/writer.ts", import.meta.url));

/** The product's Node, which runs TypeScript, where the tests run on an older one. */
const node = [nodePath.join(repository, "node_modules/.bin/node"), process.execPath].find((path) =>
  fs.existsSync(path),
);

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.Json)));

/** Runs the script in a process of its own; the result is the line that it prints. */
const spawn = (...args: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Schema.Json>, Error> =>
  Effect.callback((resume) => {
    childProcess.execFile(
      node ?? "node",
      ["--conditions=@cahier/source", "--no-warnings", script, ...args],
      (error, stdout) => resume(error === null ? Effect.sync(() => decode(stdout)) : Effect.fail(error)),
    );
  });

const readAll = Effect.fnUntraced(function* (directory: string) {
  const journal = yield* FileRunJournal.make({ directory });
  const { lastSeq } = yield* journal.read(runId);
  const events = yield* journal.tail(runId, 0).pipe(Stream.take(lastSeq), Stream.runCollect);
  return { journal, events };
});

describe("two processes", () => {
  it.live(
    "that append to one run have each batch that they were told of in the journal once, whole and in order",
    () =>
      Effect.gen(function* () {
        const directory = yield* RealDirectory.make;
        yield* (yield* FileRunJournal.make({ directory })).create(record);
        const won = yield* Effect.all([spawn(directory, "append", "40", "1"), spawn(directory, "append", "40", "2")], {
          concurrency: "unbounded",
        });
        const { events, journal } = yield* readAll(directory);
        assert.isUndefined((yield* journal.read(runId)).damage);
        assert.deepStrictEqual(
          events.map((one) => one.seq),
          events.map((_, index) => index + 1),
        );
        const written = events.map((one) => one.payload);
        const firsts = written.filter((_, index) => index % 3 === 0);
        assert.sameDeepMembers(
          firsts,
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
        const directory = yield* RealDirectory.make;
        yield* (yield* FileRunJournal.make({ directory })).create(record);
        const won = yield* Effect.all([spawn(directory, "claim", "25", "1"), spawn(directory, "claim", "25", "2")], {
          concurrency: "unbounded",
        });
        const { events, journal } = yield* readAll(directory);
        const page = yield* journal.read(runId);
        assert.isUndefined(page.damage);
        const owners = events.filter((one) => one.type === "run_owner_changed").map((one) => one.epoch);
        assert.strictEqual(owners.length, 50);
        assert.deepStrictEqual(
          owners,
          [...new Set(owners)].toSorted((left, right) => left - right),
        );
        assert.isAtLeast(page.epoch, owners.at(-1) ?? 0);
        const told: ReadonlyArray<unknown> = won.flat();
        assert.sameDeepMembers(
          events.map((one) => [one.type, one.epoch]),
          [...told],
        );
      }).pipe(Effect.scoped),
    60_000,
  );

  it.live(
    "that raise one counter document lose no step",
    () =>
      Effect.gen(function* () {
        const directory = yield* RealDirectory.make;
        const won = yield* Effect.all(
          [spawn(directory, "count", "60"), spawn(directory, "count", "60"), spawn(directory, "count", "60")],
          { concurrency: "unbounded" },
        );
        const document = yield* FileDocumentStore.make({ directory }).get("counters", "shared");
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
        const directory = yield* RealDirectory.make;
        const journal = yield* FileRunJournal.make({ directory });
        yield* journal.create(record);
        const tail = yield* Effect.forkChild(journal.tail(runId, 0).pipe(Stream.take(30), Stream.runCollect), {
          startImmediately: true,
        });
        yield* spawn(directory, "append", "10");
        assert.deepStrictEqual(
          (yield* Fiber.join(tail)).map((one) => one.payload),
          Events.events(0, 29).map((one) => one.payload),
        );
      }).pipe(Effect.scoped),
    60_000,
  );
});
