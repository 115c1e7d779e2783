/**
 * The commands about the storage, and the demonstration.
 */
import { type CommandUsage, data, json, quiet } from "./CommandUsage.ts";

export const storageCommands = {
  "storage copy": {
    words: ["storage", "copy"],
    positionals: ["FROM", "TO"],
    summary: "copy everything from one storage to another (file:DIR, sqlite:FILE, postgres://...) and compare the two",
    options: { "leave-out-damaged": { help: "copy the rest where something cannot be read whole" }, ...json },
  },
  doctor: {
    words: ["doctor"],
    positionals: [],
    summary: "check the storage: every run, and of a data folder the storage laws and the sync time",
    options: { ...data, ...json },
  },
  demonstration: {
    words: ["demonstration"],
    positionals: [],
    summary: "run a scripted example in a fresh data folder",
    carriesRunOn: true,
    options: { ...quiet },
  },
} as const satisfies { readonly [name: string]: CommandUsage };
