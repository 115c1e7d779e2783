/**
 * The commands about profiles.
 */
import { type CommandUsage, data, json } from "./CommandUsage.ts";

export const profileCommands = {
  "profiles list": {
    words: ["profiles", "list"],
    positionals: [],
    summary: "list the stored profiles, and what each can be used for",
    options: { ...data, ...json },
  },
  "profiles show": {
    words: ["profiles", "show"],
    positionals: ["ID"],
    summary: "show a stored profile, and what is wrong with it",
    options: { ...data, ...json },
  },
  "profiles save": {
    words: ["profiles", "save"],
    positionals: ["FILE.json"],
    summary: "store a profile, in place of the one with its id (- reads standard input)",
    options: { ...data, ...json },
  },
  "profiles delete": {
    words: ["profiles", "delete"],
    positionals: ["ID"],
    summary: "delete a stored profile; runs that have it keep it",
    options: { ...data, ...json },
  },
} as const satisfies { readonly [name: string]: CommandUsage };
