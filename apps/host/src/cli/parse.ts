/**
 * From the words of a command line to a command with its options.
 */
import { parseArgs, type ParseArgsConfig } from "node:util";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as Effect from "effect/Effect";
import type { CommandUsage } from "./commands/CommandUsage.ts";
import { type CommandName, commandOf, commands } from "./usage.ts";

/** `options` hold strings for options with a value, lists for those that may be given again, and true for switches. */
export interface ParsedCommand {
  readonly name: CommandName;
  readonly positionals: ReadonlyArray<string>;
  readonly options: { readonly [name: string]: string | boolean | ReadonlyArray<string> | undefined };
}

/** The command, or what is not understood. */
export const parse = (argv: ReadonlyArray<string>): Effect.Effect<ParsedCommand, Fatal> => {
  const found = commandOf(argv);
  if (found === undefined) return Effect.fail(unknownCommand(argv));
  const [name, command] = found;
  return Effect.try({
    try: () => parseArgs({ args: completed(argv, command), options: optionsOf(command), allowPositionals: true }),
    catch: (error) => invalid(complaintOf(error)),
  }).pipe(
    Effect.filterOrFail(
      ({ positionals }) =>
        positionals.length >= command.positionals.length && positionals.length <= mostPositionals(command),
      () =>
        invalid(
          command.positionals.length === 0
            ? `"${name}" takes ${command.optional === undefined ? "no further words" : `${command.optional.join(" ")} or nothing`}.`
            : `"${name}" needs ${command.positionals.join(" and ")}${command.further === undefined ? " and no further words" : ""}.`,
        ),
    ),
    Effect.map(({ values, positionals }) => ({
      name,
      positionals,
      options: values as ParsedCommand["options"],
    })),
  );
};

const mostPositionals = ({ further, optional, positionals }: CommandUsage): number =>
  further === undefined ? positionals.length + (optional?.length ?? 0) : Infinity;

/** The value of an option, if it was given. */
export const valueOf = (command: ParsedCommand, option: string): string | undefined => {
  const value = command.options[option];
  return typeof value === "string" ? value : undefined;
};

/** Every value of an option that may be given again, in their order. */
export const valuesOf = (command: ParsedCommand, option: string): ReadonlyArray<string> => {
  const values = command.options[option];
  return typeof values === "object" ? values : [];
};

/** The value of an option that takes one of these words, if it was given. */
export const wordOf = <const Word extends string>(
  command: ParsedCommand,
  option: string,
  words: ReadonlyArray<Word>,
): Effect.Effect<Word | undefined, Fatal> => {
  const value = valueOf(command, option);
  const found = words.find((word) => word === value);
  return value === undefined || found !== undefined
    ? Effect.succeed(found)
    : Effect.fail(
        invalid(`--${option} takes ${words.length === 1 ? "no other word than" : "one of"} ${words.join(", ")}.`),
      );
};

/** Whether a switch was given. */
export const has = (command: ParsedCommand, option: string): boolean => command.options[option] === true;

/** The whole number of an option within bounds, if it was given. */
export const numberOf = (
  command: ParsedCommand,
  option: string,
  minimum: number,
  maximum: number,
): Effect.Effect<number | undefined, Fatal> => {
  const value = valueOf(command, option);
  if (value === undefined) return Effect.undefined;
  const number = Number(value);
  return /^\d+$/.test(value) && number >= minimum && number <= maximum
    ? Effect.succeed(number)
    : Effect.fail(invalid(`--${option} takes a whole number from ${minimum} to ${maximum}.`));
};

/** A refusal of the command line. */
export const invalid = (message: string): Fatal =>
  fatal("usage.invalid", `${message} "cahier --help" tells what there is.`);

const unknownCommand = (argv: ReadonlyArray<string>): Fatal => {
  const [first = ""] = argv;
  const siblings = Object.values<CommandUsage>(commands)
    .filter((command) => command.words.length > 1 && command.words[0] === first)
    .map((command) => command.words[1]);
  if (siblings.length > 0) return invalid(`"${first}" is followed by one of ${siblings.join(", ")}.`);
  return invalid(first.startsWith("-") ? "A command comes first." : `There is no command "${first}".`);
};

/** What Node's parser objects to, as one sentence: its further lines advise what our help says better. */
const complaintOf = (error: unknown): string => {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  const option = /^Option '(--?[^ ']+).*argument (?:is ambiguous|missing)/.exec(line)?.[1];
  if (option !== undefined) return `${option} needs a value.`;
  const sentence = line.split(". ")[0] ?? line;
  return sentence.endsWith(".") ? sentence : `${sentence}.`;
};

/** The words after those of the command; an option whose number may be left out has one. */
const completed = (argv: ReadonlyArray<string>, { options, words }: CommandUsage): Array<string> =>
  argv.slice(words.length).map((word, index, all) => {
    const isOption = word.startsWith("--") && !all.slice(0, index).includes("--");
    const bare = isOption ? options[word.slice(2)]?.bare : undefined;
    return bare === undefined || /^\d+$/.test(all[index + 1] ?? "") ? word : `${word}=${bare}`;
  });

const optionsOf = (command: CommandUsage): NonNullable<ParseArgsConfig["options"]> =>
  Object.fromEntries(
    Object.entries(command.options).map(([name, option]) => [
      name,
      {
        type: option.value === undefined ? ("boolean" as const) : ("string" as const),
        multiple: option.repeats === true,
      },
    ]),
  );
