/**
 * A process of its own that does one job on a database and prints what it achieved as one line of JSON.
 *
 * `append N`: appends N batches, reading on after each conflict, until it has won N times.
 * `claim N`: claims the run N times, each time the present epoch, and appends once under each claim.
 * `count N`: raises a counter document N times by compare-and-set.
 * `flood`: claims the run and appends batches without end, printing the last number of each as a line.
 */
import * as SqlDatabase from "@cahier/storage-sql/SqlDatabase";
import * as SqlDocumentStore from "@cahier/storage-sql/SqlDocumentStore";
import * as SqlRunJournal from "@cahier/storage-sql/SqlRunJournal";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as fs from "node:fs";
import * as Events from "../Events.ts";

const { at, events, ownerChanged, runId } = Events;
const [place = "", job = "", times = "0", name = "0"] = process.argv.slice(2);
const wanted = Number(times);
const base = Number(name) * 1_000_000;

const database = place.startsWith("postgres:")
  ? SqlDatabase.postgres({ url: place, maxConnections: 2 })
  : SqlDatabase.sqlite({ filename: place });
const openJournal = Effect.map(database, SqlRunJournal.make);

const append = Effect.gen(function* () {
  const journal = yield* openJournal;
  const won: Array<number> = [];
  let position = at(0);
  while (won.length < wanted) {
    const n = base + won.length * 3;
    const result = yield* Effect.result(journal.append(runId, position, events(n, n + 2)));
    if (Result.isSuccess(result)) won.push(n);
    else if (result.failure._tag !== "Conflict") return yield* result.failure;
    position = at((yield* journal.read(runId, { limit: 1 })).lastSeq);
  }
  return won;
});

const claim = Effect.gen(function* () {
  const journal = yield* openJournal;
  const won: Array<readonly [type: string, epoch: number]> = [];
  for (let n = base; n < base + wanted;) {
    const { epoch } = yield* journal.read(runId, { limit: 1 });
    const claimed = yield* Effect.result(journal.claim(runId, epoch, ownerChanged(n)));
    if (Result.isFailure(claimed)) {
      if (claimed.failure._tag !== "Conflict") return yield* claimed.failure;
      continue;
    }
    n += 1;
    won.push(["run_owner_changed", claimed.success.epoch]);
    const position = at(claimed.success.lastSeq, claimed.success.epoch);
    const appended = yield* Effect.result(journal.append(runId, position, events(n, n)));
    if (Result.isSuccess(appended)) won.push(["test_event", position.epoch]);
    else if (appended.failure._tag !== "Fenced") return yield* appended.failure;
  }
  return won;
});

const count = Effect.gen(function* () {
  const store = SqlDocumentStore.make(yield* database);
  const won: Array<number> = [];
  while (won.length < wanted) {
    const present = yield* Effect.result(store.get("counters", "shared"));
    const [revision, value] = Result.isSuccess(present)
      ? [present.success.revision, Number(present.success.value)]
      : [0, 0];
    const put = yield* Effect.result(store.put("counters", "shared", revision, value + 1));
    if (Result.isSuccess(put)) won.push(put.success);
    else if (put.failure._tag !== "Conflict") return yield* put.failure;
  }
  return won;
});

/** What was told is written to the pipe before the next append begins, so that a kill cannot take it back. */
const flood = Effect.gen(function* () {
  const journal = yield* openJournal;
  const { epoch } = yield* journal.read(runId, { limit: 1 });
  const claimed = yield* journal.claim(runId, epoch, ownerChanged(0));
  for (let lastSeq = claimed.lastSeq; ;) {
    lastSeq = yield* journal.append(runId, at(lastSeq, claimed.epoch), events(lastSeq + 1, lastSeq + 3));
    fs.writeSync(1, `${lastSeq}\n`);
  }
});

const jobs: Readonly<Record<string, Effect.Effect<unknown, unknown>>> = {
  append: Effect.scoped(append),
  claim: Effect.scoped(claim),
  count: Effect.scoped(count),
  flood: Effect.scoped(flood),
};

process.stdout.write(
  `${JSON.stringify(await Effect.runPromise(jobs[job] ?? Effect.die(new Error(`no job ${job}`))))}\n`,
);
