/**
 * What a page costs anywhere in a very long journal that is open, and what opening it costs.
 */
// oxlint-disable no-await-in-loop -- what is measured happens one after the other.
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";
import { type ReadOptions, RunJournal } from "@cahier/ports/RunJournal";
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as fs from "node:fs";
import { makeFolder } from "./measure/folder.ts";
import { isShort } from "./measure/isShort.ts";
import { percentile } from "./measure/percentile.ts";
import { print, type Row } from "./measure/Table.ts";
import { batchesOf } from "./runtime/batches.ts";
import * as LongJournal from "./runtime/longJournal.ts";
import { eachStorage, lacking } from "./storage/eachStorage.ts";
import * as Storage from "./storage/Storage.ts";

const length = isShort ? 100_000 : 1_000_000;
const reads = isShort ? { warmUps: 20, measured: 100 } : { warmUps: 50, measured: 1000 };

interface Filter extends Pick<ReadOptions, "invocationId"> {
  readonly what: string;
}

const filters: ReadonlyArray<Filter> = [
  { what: "all events" },
  { what: "an invocation of every second round", invocationId: LongJournal.child },
  { what: "an invocation of every thousandth event", invocationId: LongJournal.rare },
];

const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = performance.now();
  await work();
  return performance.now() - before;
};

/** Places spread over the whole journal, in no order; the same each time. */
const placeOf = (repetition: number): number => 1 + ((repetition * 7_654_321) % length);

/** Forwards and backwards in turns; `limit` is the page that is given when nobody asks for another. */
const optionsOf = (repetition: number, { invocationId }: Filter): ReadOptions => ({
  ...(repetition % 2 === 0 ? { afterSeq: placeOf(repetition) } : { beforeSeq: placeOf(repetition) }),
  ...(invocationId === undefined ? {} : { invocationId }),
});

const measure = async (kind: Storage.StorageKind, templates: ReadonlyArray<NewEvent>): Promise<ReadonlyArray<Row>> => {
  const folder = makeFolder("page");
  try {
    const storage = Storage.make(kind, folder);
    await using building = ManagedRuntime.make(storage.layer);
    await building.runPromise(RunJournal.use((journal) => LongJournal.build(journal, templates, length)));
    await building.dispose();
    await using effects = ManagedRuntime.make(storage.layer);
    const journal = await effects.runPromise(RunJournal.useSync((service) => service));
    const page = (options: ReadOptions) => effects.runPromise(journal.read(LongJournal.runId, options));
    const opened = await timeOf(() => page({ limit: 1 }));
    const rows: Array<Row> = [];
    for (const filter of filters) {
      const times: Array<number> = [];
      for (let repetition = 0; repetition < reads.warmUps + reads.measured; repetition += 1) {
        const options = optionsOf(repetition, filter);
        const time = await timeOf(() => page(options));
        if (repetition >= reads.warmUps) times.push(time);
      }
      rows.push({
        what: `${kind.name}, ${filter.what}`,
        ours: `${percentile(times, 50).toFixed(2)} ms`,
        theirs: `${(opened / 1000).toFixed(2)} s`,
        value: percentile(times, 95),
        limit: 5,
        unit: " ms",
        spread: `${Math.min(...times).toFixed(2)}-${Math.max(...times).toFixed(2)}`,
      });
    }
    return rows;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
};

const templates = (await batchesOf("echo", 50)).flatMap(({ events }) => events).slice(20);
const kinds: Iterable<Storage.StorageKind> = isShort ? [{ name: "files" }, { name: "SQLite" }] : eachStorage();
const rows: Array<Row> = [];
for (const kind of kinds) rows.push(...(await measure(kind, templates)));
print(
  `Page: 100 events anywhere in a journal of ${length} events that is open`,
  "ours: the median; beside: the first page of a process, which looks at every event once; result: the 95th percentile.",
  [...rows, ...(isShort ? [] : lacking)],
);
