/**
 * From the words of a command line to a command with its options.
 */
import { parseArgs, type ParseArgsConfig } from "node:util";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as Effect from "effect/Effect";
import { type CommandName, commands, type CommandUsage } from "./usage.ts";

/** `options` hold strings for options with a value and true for switches. */
export interface ParsedCommand {
  readonly name: CommandName;
  readonly positionals: ReadonlyArray<string>;
  readonly options: { readonly [name: string]: string | boolean | undefined };
}

/** The command, or what is not understood. */
export const parse = (argv: ReadonlyArray<string>): Effect.Effect<ParsedCommand, Fatal> => {
  const found = Object.entries<CommandUsage>(commands).find(([, command]) =>
    command.words.every((word, index) => argv[index] === word),
  );
  if (found === undefined) return Effect.fail(invalid(`There is no command "${argv.slice(0, 2).join(" ")}".`));
  const [name, command] = found;
  return Effect.try({
    try: () =>
      parseArgs({ args: argv.slice(command.words.length), options: optionsOf(command), allowPositionals: true }),
    catch: (error) =>
      invalid(error instanceof Error ? `${error.message.split(". ")[0] ?? error.message}.` : String(error)),
  }).pipe(
    Effect.filterOrFail(
      ({ positionals }) => positionals.length === command.positionals.length,
      () =>
        invalid(
          command.positionals.length === 0
            ? `cahier ${name} takes no further words.`
            : `cahier ${name} needs ${command.positionals.join(" and ")}.`,
        ),
    ),
    Effect.map(({ values, positionals }) => ({
      name: name as CommandName,
      positionals,
      options: values as ParsedCommand["options"],
    })),
  );
};

/** The value of an option, if it was given. */
export const valueOf = (command: ParsedCommand, option: string): string | undefined => {
  const value = command.options[option];
  return typeof value === "string" ? value : undefined;
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

const optionsOf = (command: CommandUsage): NonNullable<ParseArgsConfig["options"]> =>
  Object.fromEntries(
    Object.entries(command.options).map(([name, option]) => [
      name,
      { type: option.value === undefined ? ("boolean" as const) : ("string" as const) },
    ]),
  );
