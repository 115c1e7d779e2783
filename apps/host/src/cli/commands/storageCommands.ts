/**
 * The commands about the storage, and the demonstration.
 */
import { type CommandUsage, data, json, quiet } from "./CommandUsage.ts";

const kept = {
  full: { value: "N", help: "runs kept whole, 0 to 10000 (default 20), at most those of --history" },
  history: { value: "N", help: "runs whose core history is kept, 0 to 10000 (default 100)" },
};

export const storageCommands = {
  "storage copy": {
    words: ["storage", "copy"],
    positionals: [],
    optional: ["FROM", "TO"],
    summary: "copy everything from one storage to another (file:DIR, sqlite:FILE, postgres://...) and compare the two",
    options: {
      "leave-out-damaged": { help: "copy the rest where something cannot be read whole" },
      abandon: { value: "TO", help: "copy nothing: give up a copy into TO that was broken off; what it brought stays" },
      "even-elsewhere": { help: "with --abandon: the copy was made by another machine, and is not going on there" },
      ...json,
    },
  },
  "retention plan": {
    words: ["retention", "plan"],
    positionals: [],
    summary: "show which runs that have ended would be slimmed or deleted, and why; nothing is changed",
    options: { ...kept, ...data, ...json },
  },
  "retention apply": {
    words: ["retention", "apply"],
    positionals: [],
    summary: "do what the plan says, and collect content that nothing refers to",
    options: { ...kept, ...data, ...json },
  },
  "retention settings": {
    words: ["retention", "settings"],
    positionals: [],
    summary: "show how many runs are kept, or change it",
    options: {
      ...kept,
      auto: {
        value: "on|off",
        help: "whether plans are carried out without being asked: by a serving host only, never by this program",
      },
      ...data,
      ...json,
    },
  },
  "chats forget": {
    words: ["chats", "forget"],
    positionals: [],
    further: "FILE",
    summary: "remove everything that is kept of these chats, all or none; the chats themselves stay",
    options: {
      "group-id": { value: "ID", help: "the one FILE is the chat of this group" },
      "chat-id": { value: "ID", repeats: true, help: "stable id of a chat whose file is gone; may be given again" },
      "group-chat-id": { value: "ID", repeats: true, help: "the same of a group's chat; may be given again" },
      ...data,
      ...json,
    },
  },
  "states prune": {
    words: ["states", "prune"],
    positionals: ["FILE", "STATE"],
    further: "STATE",
    summary: "remove these states of a chat's persist/ where no message of the chat leads to them any more",
    options: { ...data, ...json },
  },
  doctor: {
    words: ["doctor"],
    positionals: [],
    summary: "check the storage: its laws, how long a durable write takes, every run and every state",
    options: { repair: { help: "mend what can be mended without loss, and say what was done" }, ...data, ...json },
  },
  demonstration: {
    words: ["demonstration"],
    positionals: [],
    summary: "run a scripted example in a fresh data folder",
    carriesRunOn: true,
    options: { ...quiet },
  },
} as const satisfies { readonly [name: string]: CommandUsage };
