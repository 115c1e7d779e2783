/**
 * Two sides measured in pairs within one process, so that whatever else the machine does meets both.
 */
// oxlint-disable no-await-in-loop -- what is measured happens one after the other.
import { type Cost, costOf } from "./Cost.ts";

/** One piece of work, done in two ways. `repetition` counts up over warm-ups and measurements. */
export interface Sides {
  /** Done before each pair, unmeasured. */
  readonly prepare?: (repetition: number) => Promise<unknown>;
  readonly ours: (repetition: number) => Promise<unknown>;
  readonly theirs: (repetition: number) => Promise<unknown>;
}

export interface Pair {
  readonly ours: Cost;
  readonly theirs: Cost;
}

/** Does both sides `warmUps` times unmeasured, then gives `measured` pairs; who goes first alternates. */
export const pairs = async (sides: Sides, warmUps: number, measured: number): Promise<ReadonlyArray<Pair>> => {
  const found: Array<Pair> = [];
  for (let repetition = 0; repetition < warmUps + measured; repetition += 1) {
    await sides.prepare?.(repetition);
    const pair = await (repetition % 2 === 0 ? oursFirst(sides, repetition) : theirsFirst(sides, repetition));
    if (repetition >= warmUps) found.push(pair);
  }
  return found;
};

const oursFirst = async (sides: Sides, repetition: number): Promise<Pair> => {
  const ours = await costOf(() => sides.ours(repetition));
  return { ours, theirs: await costOf(() => sides.theirs(repetition)) };
};

const theirsFirst = async (sides: Sides, repetition: number): Promise<Pair> => {
  const theirs = await costOf(() => sides.theirs(repetition));
  return { theirs, ours: await costOf(() => sides.ours(repetition)) };
};
