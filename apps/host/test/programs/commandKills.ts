/**
 * The crash suite of commands: kills a revision, rollbacks, a fork and copies of a storage at random moments, does again what
 * its user would do, and shows that chat and journal are then as if nobody had killed it.
 *
 * `--kills N` (default 40) for each command, `--seed N` (default: of the clock, printed), `--jobs N` (default 2). Prints a
 * table and ends with code 1 when anything was violated.
 */
/* oxlint-disable eslint/no-await-in-loop -- each worker goes through one scenario after the other */
import * as Effect from "effect/Effect";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { scenarios } from "../crash/CommandScenarios.ts";
import { type TrialResult, trials } from "../crash/CommandTrial.ts";
import { lookAt, type Sight } from "../crash/lookAt.ts";
import { ownProgram } from "../crash/ownProgram.ts";
import { random } from "../crash/random.ts";
import * as Place from "../support/Place.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "40" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    jobs: { type: "string", default: "2" },
  },
});
const kills = Number(values.kills);
const seed = Number(values.seed);

const folder = mkdtempSync(join(tmpdir(), "cahier-commands-"));
const command = await ownProgram(folder);
process.stdout.write(`seed ${seed}, ${kills} kills of each command\n\n${"command".padEnd(26)} state after the kill\n`);

const see = (storage: string): Promise<Sight> => Effect.runPromise(lookAt(storage));

const results: Array<TrialResult> = [];
const queue = scenarios.entries();
const work = async (): Promise<void> => {
  for (const [index, scenario] of queue) {
    const found = await trials(scenario, { command, kills, random: random(seed + index), see });
    results.push(...found);
    for (const [state, of] of Map.groupBy(found, (one) => one.state))
      process.stdout.write(`${scenario.name.padEnd(26)} ${state.padEnd(48)} ${String(of.length).padStart(4)}\n`);
    for (const violation of found.flatMap(({ violations }) => violations))
      process.stdout.write(`VIOLATED ${violation}\n`);
  }
};
await Promise.all(Array.from({ length: Number(values.jobs) }, work));

const hits = results.filter(({ hit }) => hit).length;
const violated = results.filter(({ violations }) => violations.length > 0).length;
process.stdout.write(`result: ${results.length} trials, ${hits} kills that hit, ${violated} violated (seed ${seed})\n`);
rmSync(folder, { recursive: true, force: true });
await Place.removeAll();
process.exitCode = violated === 0 && results.length === kills * scenarios.length ? 0 : 1;
