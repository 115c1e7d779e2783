/**
 * How much of its Skills an agent may be shown: in one call, and in all.
 *
 * Owns the two limits and their words. Counts are in characters, whichever tool shows the text.
 */
import * as Result from "effect/Result";
import { refuse, type Refusal } from "../workspace/Refusal.ts";

/** The limits of a profile's `skills`. */
export interface ReadLimits {
  readonly maxReadCharsPerCall: number;
  readonly maxReadCharsPerRun: number;
}

export type BudgetRefusal = Refusal<"skill.read_budget_exceeded" | "skill.read_budget_exhausted">;

/** How many characters the next call may show after `spent` were shown; `skill.read_budget_exhausted` when none. */
export const allowance = (limits: ReadLimits, spent: number): Result.Result<number, BudgetRefusal> => {
  const left = Math.min(limits.maxReadCharsPerCall, limits.maxReadCharsPerRun - spent);
  return left > 0
    ? Result.succeed(left)
    : refuse(
        "skill.read_budget_exhausted",
        `You have read ${spent} characters of Skills, and no more may be read. Go on with what you have read.`,
      );
};

/** Whether a part of `chars` characters may be shown. Nothing of one that is too long is. */
export const admitRead = (limits: ReadLimits, spent: number, chars: number): Result.Result<void, BudgetRefusal> =>
  Result.flatMap(chars === 0 ? Result.succeed(0) : allowance(limits, spent), (allowed) =>
    chars <= allowed
      ? Result.void
      : refuse(
          "skill.read_budget_exceeded",
          `The part has ${chars} characters, and at most ${allowed} of a Skill can be read now. Read a part of it: start_char with max_chars up to ${allowed}, or fewer lines.`,
        ),
  );

/** As many of the first parts as may be shown together; the rest is left out. Refused when not even the first fits. */
export const admitParts = <Part>(
  limits: ReadLimits,
  spent: number,
  parts: ReadonlyArray<Part>,
  charsOf: (part: Part) => number,
): Result.Result<{ readonly shown: ReadonlyArray<Part>; readonly chars: number }, BudgetRefusal> => {
  const [first] = parts;
  if (first === undefined) return Result.succeed({ shown: [], chars: 0 });
  return Result.map(
    Result.flatMap(admitRead(limits, spent, charsOf(first)), () => allowance(limits, spent)),
    (allowed) => {
      const shown: Array<Part> = [];
      let chars = 0;
      for (const part of parts) {
        if (chars + charsOf(part) > allowed) break;
        chars += charsOf(part);
        shown.push(part);
      }
      return { shown, chars };
    },
  );
};
