/**
 * What it costs to carry a lost run on: from its journal to its next model request; and what folding an event costs in
 * short and in long journals.
 */
// oxlint-disable no-await-in-loop -- what is measured happens one after the other.
import { loadState } from "@cahier/application/run/loadState";
import { fold } from "@cahier/domain/run/evolve";
import * as RunEvent from "@cahier/domain/run/RunEvent";
import { empty } from "@cahier/domain/run/RunState";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as fs from "node:fs";
import * as BareReader from "./bare/BareReader.ts";
import type { Cost } from "./measure/Cost.ts";
import { makeFolder } from "./measure/folder.ts";
import { isShort } from "./measure/isShort.ts";
import { median } from "./measure/median.ts";
import { pairs } from "./measure/pairs.ts";
import { print, type Row, spreadOf } from "./measure/Table.ts";
import type { ConversationKind } from "./model/replies.ts";
import * as StandingRun from "./runtime/StandingRun.ts";
import { eachStorage, lacking } from "./storage/eachStorage.ts";
import * as Storage from "./storage/Storage.ts";

interface Way {
  readonly kind: ConversationKind;
  readonly what: string;
  readonly eventsPerRound: number;
  /** The longest journal whose fold is measured, in events. */
  readonly longest: number;
}

const longest = isShort ? 10_000 : 100_000;
const small: Way = { kind: "echo", what: "small steps", eventsPerRound: 10, longest };
const rewriting: Way = { kind: "replace", what: "the whole of one of two files a step", eventsPerRound: 12, longest };
/** Ten times as many would be more files than a workspace has. */
const writing: Way = { kind: "create", what: "a new file of 4 KiB a step", eventsPerRound: 12, longest: 10_000 };

const resumes = isShort ? { warmUps: 2, measured: 4 } : { warmUps: 5, measured: 15 };
const foldings = isShort ? { warmUps: 1, measured: 3 } : { warmUps: 2, measured: 5 };
const resumedEvents = 10_000;

/** Does something with a run of so many events on a fresh storage. */
const withRun = async <A>(
  kind: Storage.StorageKind,
  { eventsPerRound, kind: conversation }: Way,
  events: number,
  use: (storage: Storage.Storage, run: StandingRun.StandingRun) => Promise<A>,
): Promise<A> => {
  const folder = makeFolder("resume");
  try {
    const storage = Storage.make(kind, folder);
    const run = await StandingRun.make(storage, folder, conversation, Math.ceil(events / eventsPerRound));
    return await use(storage, run);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
};

const resume = async (
  storage: Storage.Storage,
  run: StandingRun.StandingRun,
  what: string,
): Promise<ReadonlyArray<Row>> => {
  await using bare = await BareReader.open(storage, run.runId);
  await using processes = new AsyncDisposableStack();
  let resumer = processes.use(await StandingRun.open(storage));
  const found = await pairs(
    {
      // A process is gone before the next takes the run; that it starts is no part of resuming.
      prepare: async () => {
        await resumer[Symbol.asyncDispose]();
        resumer = processes.use(await StandingRun.open(storage));
      },
      ours: async () => {
        const request = await resumer.resume(run.runId);
        if (Buffer.compare(request, run.request) !== 0) throw new Error("the run went on with another request");
      },
      theirs: async () => {
        if ((await bare.read()) < resumedEvents) throw new Error("the run has fewer events than it should have");
      },
    },
    resumes.warmUps,
    resumes.measured,
  );
  return (["cpu", "wall"] as const).map((clock): Row => {
    const milliseconds = (of: (pair: (typeof found)[number]) => Cost): string =>
      `${median(found.map((pair) => of(pair)[clock])).toFixed(0)} ms`;
    const ratios = found.map((pair) => pair.ours[clock] / pair.theirs[clock]);
    return {
      what: `${what}, ${clock === "cpu" ? "processor" : "wall"}`,
      ours: milliseconds((pair) => pair.ours),
      theirs: milliseconds((pair) => pair.theirs),
      value: median(ratios),
      limit: 4,
      spread: spreadOf(ratios),
    };
  });
};

const eventsOf = async (
  storage: Storage.Storage,
  { runId }: StandingRun.StandingRun,
): Promise<ReadonlyArray<RunEvent.RunEvent>> => {
  const events: Array<RunEvent.RunEvent> = [];
  const loading = RunJournal.use((journal) => loadState(journal, runId, (event) => events.push(RunEvent.trust(event))));
  await Effect.runPromise(Effect.provide(loading, storage.layer));
  return events;
};

/** Microseconds of processor time that the fold of the first events takes for one. */
const foldOne = (events: ReadonlyArray<RunEvent.RunEvent>, length: number): number => {
  const some = events.slice(0, length);
  // As many events are folded each time, so that each time is as long.
  const times = Math.ceil(longest / length);
  const before = process.cpuUsage();
  for (let time = 0; time < times; time += 1)
    if (fold(empty, some).seq !== length) throw new Error("the fold left events out");
  const { system, user } = process.cpuUsage(before);
  return (user + system) / (times * length);
};

const folding = (events: ReadonlyArray<RunEvent.RunEvent>, way: Way): ReadonlyArray<Row> => {
  const lengths = [1000, 10_000, 100_000].filter((length) => length <= way.longest);
  const costs = Array.from({ length: foldings.warmUps + foldings.measured }, () =>
    lengths.map((length) => foldOne(events, length)),
  ).slice(foldings.warmUps);
  const microseconds = (at: number): string => `${median(costs.map((cost) => cost[at] ?? 0)).toFixed(2)} us/event`;
  return lengths.slice(1).map((length, index): Row => {
    const ratios = costs.map((cost) => (cost[index + 1] ?? 0) / (cost[0] ?? 0));
    return {
      what: `${way.what}, ${length} events`,
      ours: microseconds(index + 1),
      theirs: microseconds(0),
      value: median(ratios),
      limit: 2,
      spread: spreadOf(ratios),
    };
  });
};

const files: Storage.StorageKind = { name: "files" };
const resumed: Array<Row> = [];
const folded: Array<Row> = [];
for (const kind of isShort ? [files] : eachStorage())
  for (const way of [small, writing])
    await withRun(kind, way, resumedEvents, async (storage, run) => {
      resumed.push(...(await resume(storage, run, `${kind.name}, ${way.what}`)));
      if (isShort) folded.push(...folding(await eventsOf(storage, run), way));
    });
print(
  "Resume: a lost run of 10,000 events, up to its next model request",
  "ours: claim, fold, the request's bytes handed to the transport; beside: read and JSON.parse of the journal and of the contents that the request is made of.",
  [...resumed, ...(isShort ? [] : lacking)],
);
if (!isShort)
  for (const way of [small, writing, rewriting])
    folded.push(...folding(await withRun(files, way, way.longest, eventsOf), way));
print("Fold: processor time of one event", "ours: in a run of so many events; beside: in its first 1,000.", folded);
