/**
 * What the crash sweep needs of the program that it strikes.
 *
 * Owns the contract between the sweep and a program: storage that nothing else uses, processes that carry runs on in it,
 * and what became of them. Does not own how a process is started, nor what its runs do: whoever tests an adapter writes a
 * program that composes it with a runtime, puts a `Gate` around its ports, and counts its effects in another process.
 */
import type * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type * as Scope from "effect/Scope";
import type { Boundary } from "./Boundary.ts";
import type { Ending } from "./Ending.ts";
import type { Held } from "./Gate.ts";

/** The program did not do its part of a trial. That is no violation: nothing is known of its runs. */
export class SubjectFault extends Schema.TaggedError<SubjectFault>()("SubjectFault", {
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect()),
}) {
  override get message(): string {
    return this.detail;
  }
}

/** One program over one adapter. */
export interface Subject {
  readonly name: string;
  /** Fresh storage, and what `runs` runs need of the outside. What it made goes when the scope is closed. */
  readonly place: (runs: number) => Effect.Effect<Place, SubjectFault, Scope.Scope>;
}

/**
 * `begin`: start a run for each boundary. `carryOn`: resume those that are not at their end and that nobody carries on.
 * `takeOver`: resume them although their process lives, as if it were a machine that does not answer any more.
 */
export interface Work {
  readonly task: "begin" | "carryOn" | "takeOver";
  /** Where each run is held; null nowhere. */
  readonly boundaries: ReadonlyArray<Boundary | null>;
}

export interface Place {
  /** A process at work. It is gone when the scope is closed. */
  readonly start: (work: Work) => Effect.Effect<Worker, SubjectFault, Scope.Scope>;
  /** Carries every run to its end with a process that nobody strikes, and says how each of them ended. */
  readonly finish: Effect.Effect<ReadonlyArray<Ending>, SubjectFault>;
}

/** A process at work; see `Gate` for what holds its runs. */
export interface Worker {
  /** Waits until it has begun its work. */
  readonly begun: Effect.Effect<void, SubjectFault>;
  readonly settled: Effect.Effect<ReadonlyArray<Held>, SubjectFault>;
  readonly letGo: Effect.Effect<void>;
  readonly free: Effect.Effect<void>;
  /** Waits until none of its runs is carried on any more. */
  readonly done: Effect.Effect<void, SubjectFault>;
  /** How many of its runs are being carried on, as far as it has said. */
  readonly running: () => number;
  /** Ends it at once, as a loss of power does, and waits until it is gone. */
  readonly kill: Effect.Effect<void>;
}
