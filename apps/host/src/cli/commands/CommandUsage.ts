/**
 * What describes a command of the command line, and the options that most have.
 *
 * Plain data without imports, so that help and version cost no more than starting Node.
 */

/**
 * `value` names what follows the option; without it the option is a switch. `repeats`: it may be given again. `bare` is a number that
 * the option stands for where no number follows it.
 */
export interface OptionUsage {
  readonly value?: string;
  readonly bare?: string;
  readonly repeats?: true;
  readonly help: string;
}

/**
 * `words` name the command; `positionals` are what must follow, `optional` what may follow then, each once. `further` may
 * follow any number of times.
 */
export interface CommandUsage {
  readonly words: ReadonlyArray<string>;
  readonly positionals: ReadonlyArray<string>;
  readonly optional?: ReadonlyArray<string>;
  readonly further?: string;
  readonly summary: string;
  readonly options: { readonly [name: string]: OptionUsage };
  /** The command does work that goes on without a reader. */
  readonly carriesRunOn?: true;
}

export const data = {
  data: { value: "DIR", help: "data folder, short for --storage file:DIR" },
  storage: {
    value: "file:DIR|sqlite:FILE|postgres://...",
    help: "where runs are kept (default: CAHIER_STORAGE in the same forms, else the user's data folder)",
  },
};
export const json = { json: { help: "print one JSON object and nothing else on standard output" } };
export const quiet = { quiet: { help: "print no timeline" } };
export const profile = { profile: { value: "ID|FILE.json", help: "agent profile (default: default-writer)" } };
export const connection = {
  connection: { value: "ID", help: "stored connection by which the model of --model is called" },
} as const;
export const presets = {
  presets: {
    value: "FOLDER",
    help: "SillyTavern user folder, such as data/default-user, whose presets profiles name (default: CAHIER_SILLYTAVERN)",
  },
} as const;
/** For every command that carries a run on. */
export const extensions = {
  extensions: {
    value: "[PORT]",
    bare: "0",
    help: "let extensions connect to this port of 127.0.0.1 (default: a free one) and offer tools; says the address and the token of it, which CAHIER_EXTENSION_TOKEN gives",
  },
  "extension-origin": {
    value: "ORIGIN",
    repeats: true,
    help: "where a page is from that may connect (default: http and https pages of localhost and 127.0.0.1); may be given again",
  },
  "wait-for": {
    value: "extension/ID:NAME",
    repeats: true,
    help: "begin when an extension has registered this tool; may be given again",
  },
  "wait-seconds": { value: "N", help: "how long --wait-for waits, 1 to 3600 (default 30)" },
} as const;
export const approve = {
  approve: {
    value: "PATTERN",
    repeats: true,
    help: "allow calls that would ask, of tools such as mcp/* or builtin:workspace.*; may be given again",
  },
  attended: { help: "somebody answers what tools ask, with runs answer; without it they are told that nobody does" },
  ...extensions,
} as const;
