/**
 * Macros that choose by chance.
 */
import { argument, type MacroCall, type MacroTable, takes } from "./MacroDefinition.ts";

export const table: MacroTable = {
  random: takes(1, Infinity, (args, { scene }) => oneOf(choices(args), scene.random())),
  pick: takes(1, Infinity, (args, call) => oneOf(choices(args), settled(call))),
  roll: takes(1, 1, (args, { scene }) => roll(argument(args, 0), scene.random)),
};

/** One argument is a list with commas, of which `\,` is none; several are the choices themselves. */
const choices = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.length > 1
    ? args
    : argument(args, 0)
        .split(/(?<!\\),/)
        .map((choice) => choice.replaceAll("\\,", ",").trim());

const oneOf = (list: ReadonlyArray<string>, chance: number): string => list[Math.floor(chance * list.length)] ?? "";

/** The same number for the same macro at the same place of a chat. */
const settled = ({ at, scene, source }: MacroCall): number => {
  let hash = 2166136261;
  for (const character of `${scene.seed}\n${at}\n${source}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 2246822507);
  hash = Math.imul(hash ^ (hash >>> 13), 3266489909);
  return ((hash ^ (hash >>> 16)) >>> 0) / 4294967296;
};

/** The sum of dice such as `2d6+3`; a number alone is the sides of one. Empty where it is no dice. */
const roll = (formula: string, random: () => number): string => {
  const found = /^(?:(\d{0,3})d)?(\d{1,9})([+-]\d{1,9})?$/i.exec(formula.replace(/\s/g, ""));
  if (found === null) return "";
  const [, count = "", sides = "", added = "0"] = found;
  const dice = Array.from(
    { length: Number(count === "" ? "1" : count) },
    () => Math.floor(random() * Number(sides)) + 1,
  );
  return `${dice.reduce((sum, die) => sum + die, 0) + Number(added)}`;
};
