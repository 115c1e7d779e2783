/**
 * Dice formulas and what they come to.
 *
 * Owns parsing and adding up. Does not own chance: whoever rolls brings the random numbers.
 */
import * as Result from "effect/Result";
import { quote, refuse, type Refusal } from "../workspace/Refusal.ts";

export const maxDice = 100;
export const maxSides = 1_000_000;
export const maxModifier = 1_000_000;

/** `count` dice of `sides` sides, and what is added to their sum. */
export interface Formula {
  readonly text: string;
  readonly count: number;
  readonly sides: number;
  readonly modifier: number;
}

/** `rolls` in the order in which they fell; `min` and `max` are what the formula could have given. */
export interface Roll {
  readonly formula: string;
  readonly rolls: ReadonlyArray<number>;
  readonly modifier: number;
  readonly total: number;
  readonly min: number;
  readonly max: number;
}

/** Reads `d6`, `1d20`, `3d6+4`, `2d10-1`, or `20` for `1d20`. White space around is ignored, within refused. */
export const parse = (text: string): Result.Result<Formula, Refusal<"dice.invalid_formula">> => {
  const formula = text.trim();
  const match = /^(?:(\d{0,9})[dD])?(\d{1,9})([+-]\d{1,9})?$/.exec(formula);
  const bare = /^\d+[+-]/.test(formula);
  if (match === null || bare)
    return refuse(
      "dice.invalid_formula",
      `${quote(formula)} is not a dice formula. Write NdS, NdS+M or NdS-M without spaces, such as d6, 1d20 or 3d6+4.`,
    );
  const [, dice, faces = "", added] = match;
  const count = dice === undefined || dice === "" ? 1 : Number(dice);
  const sides = Number(faces);
  const modifier = added === undefined ? 0 : Number(added);
  if (count < 1 || count > maxDice)
    return refuse(
      "dice.invalid_formula",
      `1 to ${maxDice} dice can be rolled at once; ${quote(formula)} has ${count}.`,
    );
  if (sides < 1 || sides > maxSides)
    return refuse("dice.invalid_formula", `A die has 1 to ${maxSides} sides; ${quote(formula)} has ${sides}.`);
  if (Math.abs(modifier) > maxModifier)
    return refuse(
      "dice.invalid_formula",
      `At most ${maxModifier} can be added or taken; ${quote(formula)} has ${modifier}.`,
    );
  return Result.succeed({ text: formula, count, sides, modifier });
};

/**
 * The roll of a formula. `random` holds one number for each die, from 0 up to, without, 1; a missing one counts as 0,
 * and one outside of the range as its nearest end.
 */
export const roll = (formula: Formula, random: ReadonlyArray<number>): Roll => {
  const { count, modifier, sides, text } = formula;
  const rolls = Array.from({ length: count }, (_, index) => {
    const face = Math.floor((random[index] ?? 0) * sides) + 1;
    return Math.min(sides, Math.max(1, face));
  });
  return {
    formula: text,
    rolls,
    modifier,
    total: rolls.reduce((sum, face) => sum + face, modifier),
    min: count + modifier,
    max: count * sides + modifier,
  };
};
