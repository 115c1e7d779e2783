/**
 * The crash sweep: strikes runs at each boundary of their journals and at random moments, on every storage, and shows that
 * nothing is lost, doubled or unopenable.
 *
 * `--minutes N` (default 10) is how long this slice may take. `--file F` keeps the results of all slices, one JSON object
 * a line; a slice goes on where the last one ended. `--struck N` fails a sweep with fewer struck runs in all slices.
 * `--runs N` (default 50) are struck at once, `--jobs N` (default 2) trials go on at once, `--storage file,sqlite` chooses
 * storages and `--story solo,team` stories, `--keep` keeps the folders. Prints a table; ends with code 1 when anything was violated.
 */
/* oxlint-disable eslint/no-await-in-loop -- each worker makes one trial after the other */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as PostgresServer from "@cahier/postgres-server/PostgresServer";
import { plan } from "@cahier/testkit/crash/plan";
import * as Tally from "@cahier/testkit/crash/Tally";
import { trial, type TrialResult } from "@cahier/testkit/crash/Trial";
import * as Effect from "effect/Effect";
import { bundleWorker } from "../crash/bundleWorker.ts";
import * as HostSubject from "../crash/HostSubject.ts";
import * as OutsideCounter from "../crash/OutsideCounter.ts";
import { random } from "../crash/random.ts";
import { storyNames } from "../crash/stories.ts";

/** One finished trial, as a line of the file. */
interface Finished extends TrialResult {
  readonly subject: string;
  readonly number: number;
}

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    file: { type: "string" },
    struck: { type: "string", default: "0" },
    runs: { type: "string", default: "50" },
    jobs: { type: "string", default: "2" },
    storage: { type: "string", default: "file,sqlite,postgres" },
    story: { type: "string", default: storyNames.join(",") },
    keep: { type: "boolean", default: false },
  },
});
const runs = Number(values.runs);
let deadline = performance.now() + Number(values.minutes) * 60_000;
// A sweep that is stopped ends the trials that are under way, so that nothing of them stays behind.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => (deadline = 0));
const started = performance.now();

const folder = mkdtempSync(join(tmpdir(), "cahier-sweep-"));
const server = PostgresServer.lazy();
const counter = await OutsideCounter.start();
const worker = await bundleWorker(folder);

const storages: Readonly<Record<string, HostSubject.SubjectOptions["storageOf"]>> = {
  file: (place) => ({ storage: `file:${join(place, "data")}`, remove: () => undefined }),
  sqlite: (place) => ({ storage: `sqlite:${join(place, "cahier.sqlite")}`, remove: () => undefined }),
  postgres: () => {
    const schema = server.freshSchema();
    return {
      storage: server.urlOf(schema),
      remove: () => void server.get().execute(`SET client_min_messages = error; DROP SCHEMA ${schema} CASCADE`),
    };
  },
};

const chosen = values.storage.split(",").filter((name) => name !== "postgres" || !PostgresServer.isLacking);
if (chosen.length < values.storage.split(",").length)
  process.stdout.write(`PostgreSQL is left out${PostgresServer.reason}\n`);

const told = values.story.split(",").map((name) => {
  const story = storyNames.find((known) => known === name);
  if (story === undefined) throw new Error(`there is no story ${name}`);
  return story;
});
const subjects = told.flatMap((story) =>
  chosen.map((name) => {
    const storageOf = storages[name];
    if (storageOf === undefined) throw new Error(`there is no storage ${name}`);
    return {
      name: story === "solo" ? name : `${name} ${story}`,
      story,
      storageOf,
      folder,
      worker,
      counter,
      keep: values.keep,
    } satisfies HostSubject.SubjectOptions;
  }),
);

const finished: Array<Finished> =
  values.file !== undefined && existsSync(values.file)
    ? readFileSync(values.file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Finished)
    : [];

/** As many runs tell how long all of them take. */
const sample = Math.min(runs, 8);
const measured = new Map<string, HostSubject.Uninterrupted>();
for (const options of subjects) {
  const found = await Effect.runPromise(Effect.scoped(HostSubject.measure(options, sample)));
  measured.set(options.name, { ...found, wholeMs: (found.wholeMs * runs) / sample });
  process.stdout.write(
    `${options.name}: ${sample} runs take ${Math.round(found.wholeMs)} ms; each comes past ${JSON.stringify(found.counts)} and leaves ${found.ending.effects.map(({ name }) => name).join(", ")}\n`,
  );
}

/** The trials that are not done yet, the subjects in turn. */
function* open(): Generator<{ readonly options: HostSubject.SubjectOptions; readonly number: number }> {
  const done = new Set(finished.map(({ number, subject }) => `${subject} ${number}`));
  for (let number = 0; ; number += 1)
    for (const options of subjects) if (!done.has(`${options.name} ${number}`)) yield { options, number };
}

const queue = open();
const failures: Array<string> = [];
const work = async (): Promise<void> => {
  for (const { number, options } of queue) {
    if (performance.now() > deadline) return;
    const found = measured.get(options.name);
    if (found === undefined) return;
    const rounds = plan(number, runs, found, random(number));
    const result = await Effect.runPromise(
      Effect.result(
        Effect.timeout(Effect.scoped(trial(HostSubject.make(options), rounds, found.ending, runs)), "4 minutes"),
      ),
    );
    if (result._tag === "Failure") {
      failures.push(`${options.name} ${number}: ${String(result.failure)}`);
      process.stdout.write(`FAILED ${failures.at(-1) ?? ""}\n`);
      continue;
    }
    const one: Finished = { subject: options.name, number, ...result.success };
    finished.push(one);
    if (values.file !== undefined) appendFileSync(values.file, `${JSON.stringify(one)}\n`);
    for (const violation of one.violations)
      process.stdout.write(`VIOLATED ${options.name} ${number}: ${JSON.stringify(violation)}\n`);
  }
};
await Promise.all(Array.from({ length: Number(values.jobs) }, work));

counter.close();
server.stop();
if (!values.keep) rmSync(folder, { recursive: true, force: true });

const rows = Tally.rows(finished).toSorted((one, other) =>
  one.subject === other.subject ? one.kind.localeCompare(other.kind, "en") : one.subject < other.subject ? -1 : 1,
);
const sum = (column: "struck" | "lost" | "doubled" | "unopenable"): number =>
  rows.reduce((total, row) => total + row[column], 0);
const minutes = (performance.now() - started) / 60_000;
const violated = sum("lost") + sum("doubled") + sum("unopenable");
const enough = sum("struck") >= Number(values.struck);
for (const line of Tally.table(rows)) process.stdout.write(`${line}\n`);
process.stdout.write(
  `result: ${sum("struck")} struck runs, ${sum("lost")} lost, ${sum("doubled")} doubled, ${sum("unopenable")} unopenable, ${failures.length} trials failed; this slice took ${minutes.toFixed(1)} minutes\n`,
);
if (!enough) process.stdout.write(`Fewer than ${values.struck} runs were struck: go on with another slice.\n`);
process.exitCode = violated === 0 && failures.length === 0 && enough ? 0 : 1;
