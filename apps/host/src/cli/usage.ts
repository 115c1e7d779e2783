/**
 * What the command line understands: every command with its options, and the help that is made of them.
 *
 * Plain data without imports, so that help and version cost no more than starting Node.
 */

export const version = "0.0.0";

/** `value` names what follows the option; without it the option is a switch. `repeats`: it may be given again. */
export interface OptionUsage {
  readonly value?: string;
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

const data = {
  data: { value: "DIR", help: "data folder, short for --storage file:DIR" },
  storage: {
    value: "file:DIR|sqlite:FILE|postgres://...",
    help: "where runs are kept (default: CAHIER_STORAGE in the same forms, else the user's data folder)",
  },
};
const json = { json: { help: "print one JSON object and nothing else on standard output" } };
const quiet = { quiet: { help: "print no timeline" } };
const profile = { profile: { value: "ID|FILE.json", help: "agent profile (default: default-writer)" } };
const approve = {
  approve: {
    value: "PATTERN",
    repeats: true,
    help: "allow calls that would ask, of tools such as mcp/* or builtin:workspace.*; may be given again",
  },
} as const;

export const commands = {
  run: {
    words: ["run"],
    positionals: [],
    summary: "write the next message of a SillyTavern chat",
    carriesRunOn: true,
    options: {
      chat: { value: "FILE.jsonl", help: "the chat to write to" },
      "group-id": { value: "ID", help: "the chat is that of this group" },
      "chat-id": { value: "ID", help: "stable id for a chat that has none of its own" },
      card: { value: "FILE", help: "character card, PNG or JSON" },
      type: { value: "TYPE", help: "normal (default), regenerate or swipe" },
      message: { value: "TEXT", help: "a line that the user says first" },
      ...profile,
      "world-info": { value: "FILE.json", help: "activated world info that the agent may read" },
      ...approve,
      script: { value: "FILE.json", help: "play this script instead of calling a model" },
      model: { value: "NAME", help: "model to call (with OPENAI_API_KEY or OPENAI_BASE_URL)" },
      ...data,
      ...json,
      ...quiet,
    },
  },
  "runs list": {
    words: ["runs", "list"],
    positionals: [],
    summary: "list runs, newest first",
    options: { limit: { value: "N", help: "most runs, 1 to 200 (default 50)" }, ...data, ...json },
  },
  "runs show": {
    words: ["runs", "show"],
    positionals: ["ID"],
    summary: "show how a run stands",
    options: { ...data, ...json },
  },
  "runs events": {
    words: ["runs", "events"],
    positionals: ["ID"],
    summary: "show a run's journal",
    options: {
      after: { value: "N", help: "events after this number" },
      before: { value: "N", help: "the last events before this number" },
      limit: { value: "N", help: "most events, 1 to 500 (default 100)" },
      invocation: { value: "ID", help: "only events that concern this invocation" },
      follow: {
        help: "go on with new events until the run ends or waits for a decision; with --json one event a line",
      },
      ...data,
      ...json,
    },
  },
  "runs cancel": {
    words: ["runs", "cancel"],
    positionals: ["ID"],
    summary: "stop a run, wherever it is carried on",
    carriesRunOn: true,
    options: { ...data, ...json },
  },
  "runs resume": {
    words: ["runs", "resume"],
    positionals: [],
    optional: ["ID"],
    summary: "carry on a run whose process is gone, or with --all every one",
    carriesRunOn: true,
    options: {
      all: { help: "every interrupted run but those whose profile says run.resume manual" },
      ...approve,
      ...data,
      ...json,
      ...quiet,
    },
  },
  "runs approve": {
    words: ["runs", "approve"],
    positionals: ["ID", "CALL"],
    summary: "allow a call that a run waits for, and carry the run on",
    carriesRunOn: true,
    options: {
      reason: { value: "TEXT", help: "why; kept in the journal" },
      remember: {
        value: "run|profile",
        help: "allow further calls of the tool: in this run, or in the stored profile",
      },
      "arguments-sha256": { value: "HEX", help: "allow the call only with these arguments, as runs show prints them" },
      ...data,
      ...json,
      ...quiet,
    },
  },
  "runs deny": {
    words: ["runs", "deny"],
    positionals: ["ID", "CALL"],
    summary: "refuse a call that a run waits for, and carry the run on",
    carriesRunOn: true,
    options: { reason: { value: "TEXT", help: "why; the model reads it" }, ...data, ...json, ...quiet },
  },
  "runs file": {
    words: ["runs", "file"],
    positionals: ["ID", "PATH"],
    summary: "print a file of a run's workspace",
    options: { ...data, ...json },
  },
  "runs diff": {
    words: ["runs", "diff"],
    positionals: ["ID"],
    optional: ["FROM", "TO"],
    further: "PATH",
    summary: "show what changed in a run's workspace, from the start until now or between two events or checkpoints",
    options: { ...data, ...json },
  },
  "runs fork": {
    words: ["runs", "fork"],
    positionals: ["ID", "EVENT|CHECKPOINT"],
    summary: "make a new run that goes on from a moment of a run, and carry it on",
    carriesRunOn: true,
    options: {
      message: { value: "TEXT", help: "what the user says to the agent before it goes on" },
      profile: { value: "ID|FILE.json", help: "go on with the tools and limits of this profile" },
      ...approve,
      script: { value: "FILE.json", help: "go on with this script instead of the run's own model" },
      model: { value: "NAME", help: "go on with this model (with OPENAI_API_KEY or OPENAI_BASE_URL)" },
      ...data,
      ...json,
      ...quiet,
    },
  },
  "runs rollback": {
    words: ["runs", "rollback"],
    positionals: ["ID", "CHECKPOINT"],
    summary: "take a run that waits or has ended back to a checkpoint: its workspace, or its message in the chat",
    options: {
      scope: { value: "workspace|committed-message", help: "what is taken back (default workspace)" },
      ...data,
      ...json,
    },
  },
  "tools list": {
    words: ["tools", "list"],
    positionals: [],
    summary: "list the tools that an agent would get, under the names that the model sees",
    options: {
      scene: { value: "chat|session", help: "what the run is for (default chat)" },
      ...profile,
      ...data,
      ...json,
    },
  },
  "policy explain": {
    words: ["policy", "explain"],
    positionals: [],
    summary: "say for every tool what policy allows, and which layer and rule decided it",
    options: { ...profile, tool: { value: "ID", help: "only this tool, in full" }, ...data, ...json },
  },
  "policy show": {
    words: ["policy", "show"],
    positionals: [],
    optional: ["user|platform"],
    summary: "show the stored policies",
    options: { ...data, ...json },
  },
  "policy set": {
    words: ["policy", "set"],
    positionals: ["user|platform", "FILE.json"],
    summary: "put a policy file in place of the stored policy (- reads standard input)",
    options: { ...data, ...json },
  },
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

const synopsis = (command: CommandUsage): string =>
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
