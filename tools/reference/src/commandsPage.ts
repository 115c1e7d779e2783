/**
 * The page about the command line, from the commands that the program knows.
 */
import type { CommandUsage } from "@cahier/host/cli/commands/CommandUsage";
import { synopsis } from "@cahier/host/cli/usage";
import * as Page from "./Page.ts";

/** Commands that belong together. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: { readonly [name: string]: CommandUsage };
}

const lead = [
  "The program is `cahier`; in this repository it is called as `npm run -s cahier -- COMMAND`. Words in square brackets may be left out. `cahier COMMAND --help` says the same as this page. What exit codes mean stands in the [README](../../README.md), and every refusal has a [code](error-codes.md).",
];

/** The page; commands in the order of the help. */
export const commandsPage = (groups: ReadonlyArray<CommandGroup>): Promise<Page.Page> =>
  Page.make("docs/reference/commands.md", "Commands", [
    ...lead,
    ...groups.flatMap(({ commands, title }) => [
      `## ${title}`,
      ...Object.entries(commands).flatMap(([name, command]) => sectionOf(name, command)),
    ]),
  ]);

const sectionOf = (name: string, command: CommandUsage): ReadonlyArray<string> => {
  const options = Object.entries(command.options);
  return [
    `### ${name}`,
    `${Page.code(`cahier ${synopsis(command)}`)}: ${command.summary}.`,
    ...(options.length === 0
      ? []
      : [
          Page.table(
            ["option", "meaning"],
            options.map(([option, { help, repeats, value }]) => [
              Page.code(`--${option}${value === undefined ? "" : ` ${value}`}`),
              `${help}${repeats === true && !help.includes("again") ? "; may be given again" : ""}`,
            ]),
          ),
        ]),
  ];
};
