/**
 * A law of a port as data: one sentence that every adapter keeps, and the program that checks it.
 *
 * Owns the form of a law, when it does not apply, and running laws without a test runner. Does not own the laws: each
 * port has its own in `laws/`. A harness opens the adapter; abilities that not every adapter has (losing power,
 * damaging what is stored) are optional members of the harness, and a law names those that it needs.
 */
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Schema from "effect/Schema";
import type * as Scope from "effect/Scope";
import * as Expectation from "./Expectation.ts";

/** The names of a harness's optional members. */
export type Ability<Harness> = {
  [Key in keyof Harness]-?: object extends Pick<Harness, Key> ? Key : never;
}[keyof Harness] &
  string;

/** `check` fails or dies when the law is broken. It is run on a harness of its own, in a scope of its own, in real time. */
export interface Law<Harness> {
  /** Stable, such as `JRN-02`. */
  readonly id: string;
  /** A sentence for a manual. */
  readonly title: string;
  readonly needs: ReadonlyArray<Ability<Harness>>;
  readonly check: (harness: Harness) => Effect.Effect<void, unknown, Scope.Scope>;
}

/** Makes a fresh harness over storage that nothing else uses, for one law. */
export type MakeHarness<Harness> = Effect.Effect<Harness, unknown, Scope.Scope>;

/** Why an adapter's harness does not have an ability. */
export type Lacks<Harness> = { readonly [Key in Ability<Harness>]?: string };

/** The harness does not have what the law needs. */
export class AbilityMissing extends Schema.TaggedError<AbilityMissing>()("AbilityMissing", {
  law: Schema.String,
  missing: Schema.Array(Schema.String),
}) {
  override get message(): string {
    return `${this.law} needs ${this.missing.join(", ")}, which this harness does not have: give it, or say why not in "lacks"`;
  }
}

/** `detail` is the reason of `failed` and `notApplicable`. */
export interface Verdict {
  readonly id: string;
  readonly title: string;
  readonly outcome: "passed" | "failed" | "notApplicable";
  readonly detail?: string;
}

/** A function that makes laws of one port from generators; `check` sees the abilities in `needs` as present. */
export const of =
  <Harness extends object>() =>
  <const Needs extends Ability<Harness> = never>(definition: {
    readonly id: string;
    readonly title: string;
    readonly needs?: ReadonlyArray<Needs>;
    readonly check: (harness: Harness & Required<Pick<Harness, Needs>>) => Effect.fn.Return<void, unknown, Scope.Scope>;
  }): Law<Harness> => {
    const needs = definition.needs ?? [];
    return {
      id: definition.id,
      title: definition.title,
      needs,
      check: Effect.fnUntraced(function* (harness: Harness) {
        if (!hasAll(harness, needs)) {
          return yield* new AbilityMissing({ law: definition.id, missing: missing(harness, needs) });
        }
        return yield* definition.check(harness);
      }),
    };
  };

/** The reason why a law does not apply to an adapter that lacks some abilities, else null. */
export const inapplicable = <Harness>(law: Law<Harness>, lacks: Lacks<Harness>): string | null => {
  const reasons = law.needs.flatMap((need) => {
    const reason = lacks[need];
    return reason === undefined ? [] : [`${need}: ${reason}`];
  });
  return reasons.length === 0 ? null : reasons.join("; ");
};

/** Checks one law on a harness of its own; fails when the law is broken. */
export const check = <Harness>(law: Law<Harness>, makeHarness: MakeHarness<Harness>): Effect.Effect<void, unknown> =>
  Effect.scoped(Effect.flatMap(makeHarness, law.check));

/**
 * Checks laws one after the other and never fails: a broken law, a defect or a harness that cannot be made is a
 * `failed` verdict. A law whose need the harness lacks is `notApplicable`, with the reason.
 */
export const run = <Harness>(
  laws: ReadonlyArray<Law<Harness>>,
  makeHarness: MakeHarness<Harness>,
  lacks: Lacks<Harness> = {},
): Effect.Effect<ReadonlyArray<Verdict>> =>
  Effect.forEach(laws, (law) => {
    const reason = inapplicable(law, lacks);
    if (reason !== null) return Effect.succeed(verdict(law, "notApplicable", reason));
    return Effect.map(Effect.exit(check(law, makeHarness)), (exit) => judge(law, exit));
  });

/** Fails unless the law is broken on this harness: a law that a broken adapter passes checks nothing. */
export const mustFail = <Harness>(
  law: Law<Harness>,
  makeHarness: MakeHarness<Harness>,
): Effect.Effect<void, Expectation.LawBroken> =>
  Effect.flatMap(run([law], makeHarness), ([found]) =>
    Expectation.isTrue(
      found?.outcome === "failed",
      `${law.id} does not notice the mutant (${found?.outcome ?? "no verdict"}${found?.detail === undefined ? "" : `: ${found.detail}`})`,
    ),
  );

const judge = <Harness>(law: Law<Harness>, exit: Exit.Exit<void, unknown>): Verdict => {
  if (Exit.isSuccess(exit)) return verdict(law, "passed");
  const cause = Cause.squash(exit.cause);
  if (cause instanceof AbilityMissing) return verdict(law, "notApplicable", cause.message);
  return verdict(law, "failed", describe(cause));
};

/** Faults of ports carry facts in their fields and often no message. */
const describe = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === "" ? `${cause.name} ${JSON.stringify(cause)}` : cause.message;
};

const verdict = <Harness>(law: Law<Harness>, outcome: Verdict["outcome"], detail?: string): Verdict => ({
  id: law.id,
  title: law.title,
  outcome,
  ...(detail === undefined ? {} : { detail }),
});

const missing = <Harness>(harness: Harness, needs: ReadonlyArray<Ability<Harness>>): ReadonlyArray<string> =>
  needs.filter((need) => harness[need] === undefined);

const hasAll = <Harness, Needs extends Ability<Harness>>(
  harness: Harness,
  needs: ReadonlyArray<Needs>,
): harness is Harness & Required<Pick<Harness, Needs>> => needs.every((need) => harness[need] !== undefined);
