/**
 * Where the runs of a trial are struck: every boundary in turn, with kills at random moments and owners taken for dead in
 * between.
 */
import { all, type Boundary, type Counts } from "./Boundary.ts";
import type { Round } from "./Trial.ts";

/**
 * `counts` and `wholeMs` are of an uninterrupted trial: what one of its runs comes past, and how long all of them take.
 */
export interface Measured {
  readonly counts: Counts;
  readonly wholeMs: number;
}

/**
 * The rounds of trial `number`, from 0. Trials with consecutive numbers go through all boundaries; `next` gives numbers
 * from 0 up to but not including 1, and the same numbers give the same rounds.
 */
export const plan = (
  number: number,
  runs: number,
  { counts, wholeMs }: Measured,
  next: () => number,
): ReadonlyArray<Round> => {
  const boundaries = all(counts);
  const stride = strideOf(boundaries.length);
  const inTurn: ReadonlyArray<Boundary> = Array.from(
    { length: runs },
    (_, index) => boundaries[((number * runs + index) * stride) % boundaries.length] ?? { kind: "beforeAppend", at: 1 },
  );
  const first: Round = { _tag: "AtBoundaries", boundaries: inTurn, afterMs: next() * longestAppendMs };
  switch (number % 6) {
    case 1:
      return [{ _tag: "AtRandom", afterMs: next() * wholeMs }];
    case 2:
      return [
        first,
        { _tag: "AtBoundaries", boundaries: early(boundaries, runs, next), afterMs: next() * longestAppendMs },
      ];
    case 3:
      return [{ _tag: "TwoOwners", boundaries: inTurn }];
    case 4:
      return [
        first,
        { _tag: "AtRandom", afterMs: (next() * wholeMs) / 2 },
        { _tag: "AtRandom", afterMs: (next() * wholeMs) / 2 },
      ];
    default:
      return [first];
  }
};

/** Steps of this size come to each of `length` places once, and are far apart one after the other. */
const strideOf = (length: number): number => {
  const about = Math.max(1, Math.round(length * 0.618));
  const candidates = Array.from({ length: about }, (_, index) => about - index);
  return candidates.find((candidate) => divisor(candidate, length) === 1) ?? 1;
};

const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other));

/** How long an append may take that is killed within. */
const longestAppendMs = 12;

/** A process that resumes a run has less before it, so that its boundaries are sooner. */
const early = (boundaries: ReadonlyArray<Boundary>, runs: number, next: () => number): ReadonlyArray<Boundary> =>
  Array.from({ length: runs }, () => {
    const { at, kind } = boundaries[Math.floor(next() * boundaries.length)] ?? { kind: "afterAppend" as const, at: 1 };
    return { kind, at: Math.ceil((at * (1 + next())) / 4) };
  });
