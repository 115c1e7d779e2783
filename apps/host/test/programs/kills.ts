/**
 * The crash suite: kills runs at random moments and shows that nothing is lost, torn or done twice.
 *
 * `--kills N` (default 200), `--seed N` (default: of the clock, printed), `--jobs N` (default 2). Every fourth trial
 * kills the process that resumes the run as well. Prints a table and ends with code 1 when anything was violated.
 */
/* oxlint-disable eslint/no-await-in-loop -- each worker makes one trial after the other */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as Effect from "effect/Effect";
import { checkRuns } from "../../src/cli/checkRuns.ts";
import * as Host from "../../src/composition/Host.ts";
import * as Storage from "../../src/composition/Storage.ts";
import { type Kill, trial, type TrialResult } from "../crash/Trial.ts";
import * as Calibration from "../crash/Calibration.ts";
import { ownProgram } from "../crash/ownProgram.ts";
import { random } from "../crash/random.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    jobs: { type: "string", default: "2" },
  },
});
const trials = Number(values.kills);
const seed = Number(values.seed);
const next = random(seed);

const folder = mkdtempSync(join(tmpdir(), "cahier-crash-"));
const command = await ownProgram(folder);
const checkContent = (data: string) =>
  Effect.runPromise(checkRuns.pipe(Effect.provide(Host.layer(Storage.choose({ data }, {}))), Effect.scoped));
const { spanMs, journalBytes } = await Calibration.measure({ command, folder, checkContent });
process.stdout.write(
  `seed ${seed}, ${trials} trials, a whole run takes ${Math.round(spanMs)} ms and writes ${journalBytes} bytes\n`,
);

/** Every tenth kill comes at any time of the run, its start included; the others within some progress of its journal. */
const firstKill = (index: number): Kill =>
  index % 10 === 0
    ? { journalBytes: 0, delayMs: next() * spanMs * 1.2 }
    : { journalBytes: 1 + next() * journalBytes, delayMs: next() * 12 };

/** A process that resumes finds a journal, so its moments are counted from its start. */
const laterKill = (): Kill => ({ journalBytes: 0, delayMs: next() * spanMs });

const plans = Array.from({ length: trials }, (_, index): ReadonlyArray<Kill> => {
  const first = firstKill(index);
  return index % 4 === 3 ? [first, laterKill()] : [first];
});

const results: Array<TrialResult> = [];
const queue = plans.entries();
const work = async (): Promise<void> => {
  for (const [index, kills] of queue) {
    const result = await trial({ command, folder, checkContent, kills });
    results.push(result);
    if (results.length % 20 === 0) process.stderr.write(`${results.length} of ${trials}\n`);
    for (const violation of result.violations) process.stdout.write(`VIOLATED trial ${index}: ${violation}\n`);
  }
};
await Promise.all(Array.from({ length: Number(values.jobs) }, work));

const states = Map.groupBy(results, ({ state }) => state);
const rows = [...states].toSorted(([, one], [, other]) => other.length - one.length);
process.stdout.write(`\n${"state after the kill".padEnd(44)} trials  message in the chat\n`);
for (const [state, found] of rows) {
  const committed = found.filter(({ committedBefore }) => committedBefore).length;
  process.stdout.write(`${state.padEnd(44)} ${String(found.length).padStart(6)}  ${String(committed).padStart(6)}\n`);
}
const kills = results.reduce((sum, { killsThatHit }) => sum + killsThatHit, 0);
const violated = results.filter(({ violations }) => violations.length > 0).length;
process.stdout.write(
  `result: ${results.length} trials, ${kills} kills that hit, ${violated} violated (seed ${seed})\n`,
);
if (violated === 0) rmSync(folder, { recursive: true, force: true });
process.exitCode = violated === 0 && results.length === trials ? 0 : 1;
