/**
 * Trials of commands that change what a run has left: each is killed at a moment of its own progress, looked at, and gone on
 * with as its user would; then everything has to be as if nobody had killed it.
 *
 * Owns the killing, and that every trial begins with the same folder. Does not own what is demanded: a `Scenario` does.
 */
/* oxlint-disable eslint/no-await-in-loop -- one trial comes after the other, in one folder */
import { cpSync, renameSync, rmSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { type Ended, start } from "../support/Cahier.ts";
import * as Place from "../support/Place.ts";
import type { Sight } from "./lookAt.ts";

/**
 * Where a scenario happens: `see` looks at a storage, `run` starts the program to its end; what does not hold is told to
 * `demand`.
 */
export interface Ground {
  readonly place: Place.Place;
  readonly see: (storage: string) => Promise<Sight>;
  readonly run: (...args: ReadonlyArray<string>) => Promise<Ended>;
  readonly demand: (holds: boolean, what: string) => void;
}

/** A command on a place that is laid out. */
export interface Prepared {
  /** The command that is killed. */
  readonly args: ReadonlyArray<string>;
  /** How many bytes there are of what the command writes. */
  readonly written: () => number;
  /** What must hold at any moment; gives in a few words how far the command came. */
  readonly look: (when: string) => Promise<string>;
  /** What a user does after the kill; `trial` counts from 0. */
  readonly goOn: (trial: number) => Promise<void>;
  /** What must hold in the end. */
  readonly end: () => Promise<void>;
}

export interface Scenario {
  readonly name: string;
  readonly prepare: (ground: Ground) => Promise<Prepared>;
}

/** `state` is what was found after the kill; `violations` are empty when everything held. */
export interface TrialResult {
  readonly state: string;
  readonly hit: boolean;
  readonly violations: ReadonlyArray<string>;
}

export interface TrialsOptions {
  readonly command: readonly [node: string, bundle: string];
  readonly kills: number;
  readonly random: () => number;
  readonly see: Ground["see"];
}

/** Every fourth kill comes at any time of the process, the others within some progress of what it writes. */
const anyTime = 4;

/** So long after some progress a kill comes at most, in milliseconds. */
const soonMs = 8;

/** Makes the trials of a scenario, after one that nobody kills. A folder in which something was violated is kept and named. */
export const trials = async (
  scenario: Scenario,
  { command, kills, random, see }: TrialsOptions,
): Promise<ReadonlyArray<TrialResult>> => {
  const place = await Place.make();
  const before = `${place.folder}.before`;
  const violations: Array<string> = [];
  const ground: Ground = {
    place,
    see,
    run: (...args) => start(args, { command }).ended,
    demand: (holds, what) => {
      if (!holds) violations.push(what);
    },
  };
  const { args, end, goOn, look, written } = await scenario.prepare(ground);
  cpSync(place.folder, before, { recursive: true });
  const fresh = written();

  /** One trial; `moment` resolves when the process is to be killed. */
  const trial = async (number: number, moment: (exit: Promise<unknown>) => Promise<unknown>): Promise<TrialResult> => {
    const running = start(args, { command });
    await moment(running.exit);
    running.child.kill("SIGKILL");
    const hit = (await running.ended).signal === "SIGKILL";
    const state = await look("after the kill");
    await goOn(number);
    await look("in the end");
    await end();
    const found = violations.splice(0).map((what) => `${scenario.name}: ${what}`);
    const kept = `${place.folder}.violated-${number}`;
    if (found.length > 0) renameSync(place.folder, kept);
    rmSync(place.folder, { recursive: true, force: true });
    cpSync(before, place.folder, { recursive: true });
    return { state, hit, violations: found.map((what) => `${what} (${kept})`) };
  };

  const uninterrupted = { grown: 0, spanMs: 0 };
  const whole = await trial(-1, async (exit) => {
    const started = performance.now();
    await exit;
    uninterrupted.spanMs = performance.now() - started;
    uninterrupted.grown = written() - fresh;
  });
  if (whole.violations.length > 0 || uninterrupted.grown <= 0)
    throw new Error(`${scenario.name} fails where nobody kills: ${whole.violations.join("; ")}`);

  const results: Array<TrialResult> = [];
  while (results.length < kills) {
    const number = results.length;
    const [share, delay] = [random(), random()];
    const result = await trial(number, async (exit) => {
      if (number % anyTime === 0) return Promise.race([exit, wait(share * uninterrupted.spanMs)]);
      await reaches(fresh + 1 + share * uninterrupted.grown, written, exit);
      return Promise.race([exit, wait(delay * soonMs)]);
    });
    results.push(result);
  }
  rmSync(before, { recursive: true, force: true });
  return results;
};

/** Resolves once so much is written, or the process that writes has ended. */
const reaches = async (bytes: number, written: () => number, exit: Promise<unknown>): Promise<void> => {
  const over = { yet: false };
  void exit.then(() => (over.yet = true));
  while (written() < bytes && !over.yet) await wait(1);
};
