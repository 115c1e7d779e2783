/**
 * What a Python program may ask of the child: `sys`, `time`, `random`, `input`, `exit`.
 *
 * Owns what these give. Does not own how a program comes to ask, which `pythonSource` makes.
 */
import type * as Languages from "./Languages.ts";
import * as pythonSource from "./pythonSource.ts";
import * as time from "./time.ts";

/** How the engine goes on after a call. */
export type Answer =
  | { readonly returnValue: unknown }
  | { readonly exception: { readonly type: string; readonly message: string } };

export interface Answers {
  /** Names that a program has from its start. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** What a name stands for that the program does not define; null where it stands for nothing. */
  readonly named: (name: string) => unknown;
  readonly called: (name: string, args: ReadonlyArray<unknown>) => Answer;
  /** The exit code of a program that ended by SystemExit with a message. */
  readonly exitCode: (message: string) => number;
}

export interface Surroundings {
  readonly argv: ReadonlyArray<string>;
  readonly input: string;
  readonly output: Languages.Output;
  readonly errorOutput: Languages.Output;
}

export const make = ({ argv, errorOutput, input, output }: Surroundings): Answers => {
  const lines = input.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const position = { line: 0 };
  const rest = (): Array<string> => lines.slice(position.line, (position.line = lines.length));
  const nextLine = (): string | undefined => lines[position.line++];
  const functions: Readonly<Record<string, (...args: ReadonlyArray<unknown>) => Answer>> = {
    "sys.exit": exit,
    "stdin.read": () => returned(rest().join("")),
    "stdin.readline": () => returned(nextLine() ?? ""),
    "stdin.readlines": () => returned(rest()),
    "stdout.write": (text) => returned(written(output, text)),
    "stderr.write": (text) => returned(written(errorOutput, text)),
    "stdout.flush": () => returned(null),
    "stderr.flush": () => returned(null),
    "time.time": () => returned(time.wallClock() / 1000),
    "time.monotonic": () => returned(time.now() / 1000),
    "time.perf_counter": () => returned(time.now() / 1000),
    "random.random": () => returned(Math.random()),
    "random.uniform": (low, high) => returned(Number(low) + Math.random() * (Number(high) - Number(low))),
    "random.randint": (low, high) =>
      returned(Number(low) + Math.floor(Math.random() * (Number(high) - Number(low) + 1))),
    "random.choice": (items) =>
      Array.isArray(items) && items.length > 0
        ? returned(items[Math.floor(Math.random() * items.length)])
        : raised("IndexError", "Cannot choose from an empty sequence"),
    exit,
    quit: exit,
    input: (prompt) => {
      if (prompt !== undefined) written(output, prompt);
      const line = nextLine();
      return line === undefined ? raised("EOFError", "EOF when reading a line") : returned(line.replace(/\n$/, ""));
    },
  };
  return {
    inputs: {
      [pythonSource.moduleName("sys")]: object("sys", 1n, {
        argv,
        version: "3.14 (a subset)",
        platform: "cahier",
        maxsize: Number.MAX_SAFE_INTEGER,
        stdin: object("stdin", 2n, {}),
        stdout: object("stdout", 3n, {}),
        stderr: object("stderr", 4n, {}),
      }),
      [pythonSource.moduleName("time")]: object("time", 5n, {}),
      [pythonSource.moduleName("random")]: object("random", 6n, {}),
    },
    named: (name) => {
      const wanted = pythonSource.functionOf(name) ?? name;
      return Object.hasOwn(functions, wanted) ? namedFunction(name) : null;
    },
    called: (name, args) => {
      const owner = ownerOf(args[0]);
      const wanted = owner === null ? (pythonSource.functionOf(name) ?? name) : `${owner}.${name}`;
      const found = Object.hasOwn(functions, wanted) ? functions[wanted] : undefined;
      if (found !== undefined) return found(...(owner === null ? args : args.slice(1)));
      if (owner !== null) return raised("AttributeError", `module '${owner}' has no attribute '${name}' here`);
      return raised("NameError", `name '${pythonSource.functionOf(name) ?? name}' is not defined`);
    },
    exitCode: (message) => {
      if (message === "" || message === "None") return 0;
      if (/^-?\d+$/.test(message)) return Number(message) & 0xff;
      errorOutput.write(`${message}\n`);
      return 1;
    },
  };
};

const returned = (returnValue: unknown): Answer => ({ returnValue });

const raised = (type: string, message: string): Answer => ({ exception: { type, message } });

const exit = (code: unknown): Answer => raised("SystemExit", code === undefined || code === null ? "" : shown(code));

const shown = (value: unknown): string =>
  typeof value === "object" ? (JSON.stringify(value) ?? "") : `${value as string | number | bigint | boolean}`;

const written = (to: Languages.Output, text: unknown): number => {
  const string = shown(text);
  to.write(string);
  return string.length;
};

/** An object of the engine with fields; its methods are calls that have it as their first argument. */
const object = (name: string, typeId: bigint, fields: Readonly<Record<string, unknown>>) => ({
  __monty_type__: "Dataclass",
  name,
  fields,
  fieldNames: Object.keys(fields),
  frozen: true,
  typeId,
});

/** The name of the object whose method is called, or null for a plain function. */
const ownerOf = (first: unknown): string | null => {
  if (typeof first !== "object" || first === null || !("__monty_type__" in first) || !("name" in first)) return null;
  return first.__monty_type__ === "Dataclass" && typeof first.name === "string" ? first.name : null;
};

/** A function of the engine is known by its name; it is never called on this side. */
const namedFunction = (name: string): (() => void) => Object.defineProperty(() => undefined, "name", { value: name });
