/**
 * Macros that make text of their arguments alone.
 */
import { argument, type MacroTable, takes, value } from "./MacroDefinition.ts";

/** Stands in the text until all macros are replaced, then goes with the newlines around it. */
export const trimMark = "{{trim}}";

export const table: MacroTable = {
  newline: takes(0, 1, (args) => "\n".repeat(times(args))),
  space: takes(0, 1, (args) => " ".repeat(times(args))),
  noop: value(() => ""),
  trim: takes(0, 1, (args) => (args.length === 0 ? trimMark : argument(args, 0).trim())),
  reverse: takes(1, 1, (args) => [...argument(args, 0)].toReversed().join("")),
  banned: takes(0, 1, () => ""),
  outlet: takes(1, 1, (args, { scene }) => (scene.outlets.get(argument(args, 0)) ?? []).join("\n")),
};

const times = (args: ReadonlyArray<string>): number => {
  const count = args.length === 0 ? 1 : Number(argument(args, 0));
  return Number.isInteger(count) && count >= 0 ? Math.min(count, mostTimes) : 1;
};

const mostTimes = 1000;
