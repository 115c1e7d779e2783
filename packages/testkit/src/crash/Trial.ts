/**
 * One trial of the sweep: runs are begun, struck, struck again while they are resumed, carried to their end, and compared
 * with a run that nobody interrupted.
 *
 * Owns the order of a trial. Does not own where runs are struck (`plan`), nor how a process is started (`Subject`).
 */
import * as Effect from "effect/Effect";
import type { Boundary, BoundaryKind } from "./Boundary.ts";
import { compare, type Ending, type Violation } from "./Ending.ts";
import type { Held } from "./Gate.ts";
import type { Place, Subject, Worker } from "./Subject.ts";

/** `atRandom` is a kill from outside, wherever each run is; `twoOwners` an owner that is taken for dead and goes on. */
export type StrikeKind = BoundaryKind | "atRandom" | "twoOwners";

/**
 * `AtBoundaries`: each run is held at its own, then the process is killed; `afterMs` is how long appends that are let go
 * may be under way. `AtRandom`: so long after the work has begun. `TwoOwners`: another process carries the held runs to
 * their end, then the first goes on with them.
 */
export type Round =
  | { readonly _tag: "AtBoundaries"; readonly boundaries: ReadonlyArray<Boundary>; readonly afterMs: number }
  | { readonly _tag: "AtRandom"; readonly afterMs: number }
  | { readonly _tag: "TwoOwners"; readonly boundaries: ReadonlyArray<Boundary> };

/** How many kills struck how many runs. A kill that strikes runs at several kinds of boundary counts for each kind. */
export interface Strike {
  readonly kind: StrikeKind;
  readonly kills: number;
  readonly struck: number;
}

export interface TrialResult {
  readonly strikes: ReadonlyArray<Strike>;
  readonly violations: ReadonlyArray<Violation & { readonly kind: Violation["kind"]; readonly at: StrikeKind }>;
}

/** Makes one trial of `runs` runs. Fails when the program does not do its part, which is no violation. */
export const trial = Effect.fn("Trial.trial")(function* (
  subject: Subject,
  rounds: ReadonlyArray<Round>,
  uninterrupted: Ending,
  runs: number,
) {
  const place = yield* subject.place(runs);
  const last = new Map<string, StrikeKind>();
  const strikes: Array<Strike> = [];
  for (const [index, round] of rounds.entries()) {
    const task = index === 0 ? ("begin" as const) : ("carryOn" as const);
    const held = yield* Effect.scoped(strike(place, round, task, runs));
    for (const { kind, run } of held.at) last.set(run, kind);
    strikes.push(...held.strikes);
  }
  const endings = yield* place.finish;
  const other: StrikeKind = rounds.some(({ _tag }) => _tag === "AtRandom") ? "atRandom" : "beforeAppend";
  return {
    strikes,
    violations: [
      ...missing(endings, runs).map((violation) => ({ ...violation, at: other })),
      ...endings.flatMap((ending) =>
        compare(uninterrupted, ending).map((violation) => ({ ...violation, at: last.get(ending.run) ?? other })),
      ),
    ],
  } satisfies TrialResult;
});

const strike = Effect.fnUntraced(function* (place: Place, round: Round, task: "begin" | "carryOn", runs: number) {
  switch (round._tag) {
    case "AtBoundaries":
      return yield* strikeAtBoundaries(yield* place.start({ task, boundaries: round.boundaries }), round.afterMs);
    case "AtRandom":
      return yield* strikeAtRandom(yield* place.start({ task, boundaries: nowhere(runs) }), round.afterMs);
    case "TwoOwners":
      return yield* takeOver(place, yield* place.start({ task, boundaries: round.boundaries }), runs);
    default:
      return round satisfies never;
  }
});

const strikeAtBoundaries = Effect.fnUntraced(function* (worker: Worker, afterMs: number) {
  const at = yield* worker.settled;
  if (at.some(({ kind }) => kind === "withinAppend")) {
    yield* worker.letGo;
    yield* Effect.sleep(afterMs);
  }
  yield* worker.kill;
  return { at, strikes: strikesOf(at) };
});

const strikeAtRandom = Effect.fnUntraced(function* (worker: Worker, afterMs: number) {
  yield* worker.begun;
  yield* Effect.sleep(afterMs);
  const struck = worker.running();
  yield* worker.kill;
  return { at: [], strikes: struck === 0 ? [] : [{ kind: "atRandom" as const, kills: 1, struck }] };
});

/** The old owner goes on only when the new one has carried every run to its end, and is killed when it has given up. */
const takeOver = Effect.fnUntraced(function* (place: Place, old: Worker, runs: number) {
  const held = yield* old.settled;
  const taker = yield* place.start({ task: "takeOver", boundaries: nowhere(runs) });
  yield* taker.done;
  yield* old.free;
  yield* old.done;
  yield* old.kill;
  yield* taker.kill;
  const at = held.map(({ run }) => ({ run, kind: "twoOwners" as const }));
  return {
    at,
    strikes: at.length === 0 ? [] : [{ kind: "twoOwners" as const, kills: 1, struck: at.length }],
  };
});

const nowhere = (runs: number): ReadonlyArray<null> => Array.from({ length: runs }, () => null);

const strikesOf = (held: ReadonlyArray<Held>): ReadonlyArray<Strike> =>
  [...Map.groupBy(held, ({ kind }) => kind)].map(([kind, all]) => ({ kind, kills: 1, struck: all.length }));

/** A run that nobody says anything of is lost. */
const missing = (endings: ReadonlyArray<Ending>, runs: number): ReadonlyArray<Violation> =>
  endings.length >= runs
    ? []
    : [{ kind: "lost", run: "", detail: `${endings.length} of ${runs} runs are accounted for` }];
