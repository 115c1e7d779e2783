/**
 * What the command line understands, and the help that is made of it.
 *
 * Plain data all the way down, so that help and version cost no more than starting Node.
 */
import type { CommandUsage } from "./commands/CommandUsage.ts";
import { mcpCommands } from "./commands/mcpCommands.ts";
import { profileCommands } from "./commands/profileCommands.ts";
import { runCommands } from "./commands/runCommands.ts";
import { settingCommands } from "./commands/settingCommands.ts";
import { skillCommands } from "./commands/skillCommands.ts";
import { storageCommands } from "./commands/storageCommands.ts";

export const version = "0.0.0";

/** Every command, by its words. */
export const commands = {
  ...runCommands,
  ...profileCommands,
  ...skillCommands,
  ...settingCommands,
  ...mcpCommands,
  ...storageCommands,
};

export type CommandName = keyof typeof commands;

/** The command that the words of a command line begin with. */
export const commandOf = (argv: ReadonlyArray<string>): readonly [CommandName, CommandUsage] | undefined =>
  Object.entries<CommandUsage>(commands)
    .map(([name, command]) => [name as CommandName, command] as const)
    .find(([, command]) => command.words.every((word, index) => argv[index] === word));

/** Whether a command line asks for work that is done whether anybody watches or not. */
export const carriesRunOn = (argv: ReadonlyArray<string>): boolean => commandOf(argv)?.[1].carriesRunOn === true;

/** The help that `argv` asks for: of the program, of a group, or of one command; undefined when it asks for none. */
export const helpFor = (argv: ReadonlyArray<string>): string | undefined => {
  const asked = argv.length === 0 || argv.some((word) => word === "--help" || word === "-h") || argv[0] === "help";
  if (!asked) return undefined;
  const words = argv.filter((word) => !word.startsWith("-") && word !== "help");
  const matching = Object.values<CommandUsage>(commands).filter(
    (command) => words.length > 0 && command.words.every((word, index) => word === (words[index] ?? word)),
  );
  return matching.length === 0 ? overview() : matching.map(describe).join("\n");
};

const overview = (): string =>
  [
    "cahier: runs of writing agents, each in a private workspace, every step in a journal",
    "",
    "Usage: cahier COMMAND [OPTIONS]",
    "",
    ...rows(Object.values<CommandUsage>(commands).map((command) => [synopsis(command), command.summary])),
    "",
    "cahier COMMAND --help tells a command's options; cahier --version tells the version.",
    "Exit codes: 0 completed, 2 partial success, 3 failed, 4 bad usage or bad input, 5 waiting for a decision, 130 cancelled.",
    "",
  ].join("\n");

const describe = (command: CommandUsage): string =>
  [
    `cahier ${synopsis(command)}: ${command.summary}`,
    "",
    ...rows(
      Object.entries(command.options).map(([name, option]) => [
        option.value === undefined ? `--${name}` : `--${name} ${option.value}`,
        option.help,
      ]),
    ),
    "",
  ].join("\n");

/** The words of a command and what follows them. */
export const synopsis = (command: CommandUsage): string =>
  [
    ...command.words,
    ...command.positionals,
    ...(command.optional ?? []).map((word) => `[${word}]`),
    ...(command.further === undefined ? [] : [`[${command.further}...]`]),
  ].join(" ");

const rows = (pairs: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => {
  const width = Math.max(...pairs.map(([left]) => left.length)) + 2;
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}${right}`);
};
