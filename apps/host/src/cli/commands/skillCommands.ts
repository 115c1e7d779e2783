/**
 * The commands about Skills.
 */
import { type CommandUsage, data, json } from "./CommandUsage.ts";

const forms = "global|preset:API/NAME|profile:ID|character:ID";

const scope = { scope: { value: forms, help: "for whom the Skill is installed (default global)" } } as const;

const onConflict = {
  "on-conflict": {
    value: "skip|replace",
    help: "what becomes of another Skill of the same name; without it nothing is changed and what differs is shown",
  },
} as const;

export const skillCommands = {
  "skills list": {
    words: ["skills", "list"],
    positionals: [],
    summary: "list the installed Skills",
    options: { scope: { value: forms, help: "only those that are installed for this" }, ...data, ...json },
  },
  "skills show": {
    words: ["skills", "show"],
    positionals: ["NAME"],
    summary: "show an installed Skill: its files, where it came from, what is odd about it",
    options: { ...scope, ...data, ...json },
  },
  "skills install": {
    words: ["skills", "install"],
    positionals: [],
    further: "FOLDER|ARCHIVE|URL",
    summary:
      "install Skills from folders, folders of folders, .zip and .ttskill archives, https addresses of a SKILL.md, presets and cards",
    options: {
      scope: {
        value: forms,
        help: "for whom (default global; what a preset or a card carries is for whoever uses it)",
      },
      preset: { value: "FILE.json", help: "install the Skills that this preset carries" },
      card: { value: "FILE", help: "install the Skills that this character card carries" },
      ...onConflict,
      "dry-run": { help: "install nothing, say what would be done" },
      ...data,
      ...json,
    },
  },
  "skills export": {
    words: ["skills", "export"],
    positionals: ["NAME"],
    optional: ["FILE"],
    summary: "write an installed Skill as an archive (default NAME.zip), and say what breaks the published format",
    options: { ...scope, force: { help: "replace the file when it is there" }, ...data, ...json },
  },
  "skills move": {
    words: ["skills", "move"],
    positionals: ["NAME"],
    summary: "take an installed Skill to another scope",
    options: {
      scope: { value: forms, help: "where it is (default global)" },
      to: { value: forms, help: "where it is to be" },
      ...onConflict,
      ...data,
      ...json,
    },
  },
  "skills remove": {
    words: ["skills", "remove"],
    positionals: [],
    optional: ["NAME"],
    summary:
      "remove an installed Skill, or every one that came from a source and from no other; runs that have it keep it",
    options: {
      ...scope,
      source: {
        value: "SOURCE",
        help: "preset:API/NAME, character:ID, folder:PATH, archive:PATH or download:URL, in every scope",
      },
      ...data,
      ...json,
    },
  },
} as const satisfies { readonly [name: string]: CommandUsage };
