/**
 * A process of its own that does one job on a data folder and prints what it achieved as one line of JSON.
 *
 * `append N`: appends N batches, reading on after each conflict, until it has won N times.
 * `claim N`: claims the run N times, each time the present epoch, and appends once under each claim.
 * `count N`: raises a counter document N times by compare-and-set.
 */
import * as FileDocumentStore from "@cahier/storage-file/FileDocumentStore";
import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Events from "../Events.ts";

const { at, events, ownerChanged, runId } = Events;
const [directory = "", job = "", times = "0", name = "0"] = process.argv.slice(2);
const wanted = Number(times);
const base = Number(name) * 1_000_000;

const append = Effect.gen(function* () {
  const journal = yield* FileRunJournal.make({ directory });
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
  const journal = yield* FileRunJournal.make({ directory });
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
  const store = FileDocumentStore.make({ directory });
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

const jobs: Readonly<Record<string, Effect.Effect<unknown, unknown>>> = {
  append: Effect.scoped(append),
  claim: Effect.scoped(claim),
  count,
};

process.stdout.write(
  `${JSON.stringify(await Effect.runPromise(jobs[job] ?? Effect.die(new Error(`no job ${job}`))))}\n`,
);
