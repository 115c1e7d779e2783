/**
 * Shows that the crash sweep can fail: strikes runs over storage, tools and a chat host that are broken, and prints by what
 * each was noticed. Ends with code 1 when one was not.
 *
 * `--runs N` (default 24) are struck at once, `--trials N` (default 12) are made at most for each mutant, `--storage S`
 * (default sqlite) is file or sqlite, `--only NAME` tries one mutant.
 */
/* oxlint-disable eslint/no-await-in-loop -- a mutant is tried until it is noticed */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { plan } from "@cahier/testkit/crash/plan";
import { trial } from "@cahier/testkit/crash/Trial";
import * as Effect from "effect/Effect";
import { bundleWorker } from "../crash/bundleWorker.ts";
import * as HostSubject from "../crash/HostSubject.ts";
import * as OutsideCounter from "../crash/OutsideCounter.ts";
import { random } from "../crash/random.ts";
import type { StoryName } from "../crash/stories.ts";
import { type SweepMutant, sweepMutants } from "../crash/sweepMutants.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "24" },
    trials: { type: "string", default: "12" },
    storage: { type: "string", default: "sqlite" },
    only: { type: "string" },
  },
});
const runs = Number(values.runs);

const folder = mkdtempSync(join(tmpdir(), "cahier-sweep-mutants-"));
const counter = await OutsideCounter.start();
const subject = {
  name: values.storage,
  folder,
  worker: await bundleWorker(folder),
  counter,
  storageOf: (place) => ({
    storage: values.storage === "file" ? `file:${join(place, "data")}` : `sqlite:${join(place, "cahier.sqlite")}`,
    remove: () => undefined,
  }),
} satisfies Omit<HostSubject.SubjectOptions, "story">;

/** What runs of each story leave that nobody strikes. */
const sample = 4;
const measure = async (story: StoryName): Promise<HostSubject.Uninterrupted> => {
  const found = await Effect.runPromise(Effect.scoped(HostSubject.measure({ ...subject, story }, sample)));
  return { ...found, wholeMs: (found.wholeMs * runs) / sample };
};
const tried = sweepMutants.filter(({ name }) => values.only === undefined || values.only === name);
const measured = new Map<StoryName, HostSubject.Uninterrupted>();
for (const { story } of tried) if (!measured.has(story)) measured.set(story, await measure(story));

/** What noticed the mutant, or undefined when nothing did. */
const noticed = async ({ name, story }: SweepMutant): Promise<string | undefined> => {
  const broken = HostSubject.make({ ...subject, story, mutant: name });
  const found = measured.get(story);
  if (found === undefined) return undefined;
  for (let number = 0; number < Number(values.trials); number += 1) {
    const rounds = plan(number, runs, found, random(number));
    const { violations } = await Effect.runPromise(Effect.scoped(trial(broken, rounds, found.ending, runs)));
    const [first] = violations;
    if (first !== undefined)
      return `trial ${number}, ${first.at}: ${first.kind}: ${first.detail}${violations.length === 1 ? "" : ` (and ${violations.length - 1} more)`}`;
  }
  return undefined;
};

let caught = 0;
for (const mutant of tried) {
  const { name, title } = mutant;
  const by = await noticed(mutant);
  if (by !== undefined) caught += 1;
  process.stdout.write(
    `${by === undefined ? "NOT NOTICED" : "noticed"}  ${name} (${title})${by === undefined ? "" : `\n         ${by}`}\n`,
  );
}

counter.close();
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`result: ${caught} of ${tried.length} mutants noticed\n`);
process.exitCode = caught === tried.length ? 0 : 1;
