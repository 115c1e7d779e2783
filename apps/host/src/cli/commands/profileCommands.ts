/**
 * The commands about profiles.
 */
import { type CommandUsage, data, json, presets } from "./CommandUsage.ts";

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
  "profiles new": {
    words: ["profiles", "new"],
    positionals: ["ID"],
    summary: "store a new profile that can be used as it is, to be changed",
    options: {
      from: { value: "ID", help: "copy this profile (default: the built-in default-writer)" },
      name: { value: "TEXT", help: "what people call it (default: its id)" },
      ...data,
      ...json,
    },
  },
  "profiles import": {
    words: ["profiles", "import"],
    positionals: [],
    further: "FILE.json",
    summary:
      "import profiles of this program or of another, and say what became of their fields (- reads standard input)",
    options: {
      preset: { value: "FILE.json", help: "import the profiles that this preset carries" },
      card: { value: "FILE", help: "import the profiles that this character card carries" },
      force: { help: "replace a stored profile of the same id" },
      "keep-connection": { help: "take the named connection and model over; without it an import leaves both open" },
      "dry-run": { help: "import nothing, say what would be done" },
      ...data,
      ...json,
    },
  },
  "profiles export": {
    words: ["profiles", "export"],
    positionals: ["ID"],
    optional: ["FILE"],
    summary: "write a profile for others, without its connection, to a file or to standard output",
    options: { force: { help: "replace the file when it is there" }, ...data, ...json },
  },
  "profiles diagnose": {
    words: ["profiles", "diagnose"],
    positionals: [],
    optional: ["ID"],
    summary: "say what profiles can be used for here, what keeps them from more, and how to repair it",
    options: { ...presets, ...data, ...json },
  },
  "profiles repair": {
    words: ["profiles", "repair"],
    positionals: ["ID"],
    summary: "repair a stored profile in the ways that are asked for",
    options: {
      "normalize-identity": { help: "give it the id that it is kept under" },
      "require-configuration": { help: "take its connection out, when that is gone or cannot be used" },
      ...data,
      ...json,
    },
  },
  "profiles retarget": {
    words: ["profiles", "retarget"],
    positionals: ["FROM", "TO"],
    summary: "put a preset's new name, as openai/NAME, in place of its old one in all profiles",
    options: { ...presets, ...data, ...json },
  },
  "profiles delete": {
    words: ["profiles", "delete"],
    positionals: ["ID"],
    summary: "delete a stored profile; runs that have it keep it",
    options: { ...data, ...json },
  },
} as const satisfies { readonly [name: string]: CommandUsage };
