/**
 * The program as a user starts it: its bundle, in a process of its own, with an environment of its own.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { node, repository } from "./node.ts";

/** Where the program's executable lies. */
export const bundle = join(repository, "apps/host/dist/cahier.mjs");

/** How a process ended and everything that it said. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that goes on. */
export interface Running {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with what standard output says once it matches; rejects when the process ends before. */
  readonly says: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** The same of standard error. */
  readonly complains: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Resolves when the process has ended and its streams are closed. */
  readonly ended: Promise<Ended>;
  /** Resolves when the process has ended, with its exit code and signal. */
  readonly exit: Promise<ReadonlyArray<unknown>>;
}

/** `environment` is added to an environment that names no model, no storage and an empty home. */
export interface StartOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** What is started instead of the bundle on the product's Node. */
  readonly command?: readonly [string, ...ReadonlyArray<string>];
  /** A process group of its own, as a terminal gives one to a command. */
  readonly detached?: boolean;
  /** Standard input is this and ends then; it is empty otherwise. */
  readonly input?: string;
  /** Standard input stays open. */
  readonly isOpen?: true;
  /** The program runs on a terminal of its own; what is written to the child's standard input is typed there. */
  readonly terminal?: true;
}

/** Makes the bundle of these sources unless it is there already. What is installed is taken as it is. */
export const ensureBundle = async (): Promise<void> => {
  const program = `
    import fs from "node:fs";
    import { ensureBundled } from ${JSON.stringify(pathToFileURL(join(repository, "tools/bundle/bundle.mjs")))};
    const stamp = ${JSON.stringify(join(repository, "node_modules/.cahier-install"))};
    await ensureBundled(fs.existsSync(stamp) ? fs.readFileSync(stamp, "utf8") : "unknown");
  `;
  await promisify(execFile)(node, ["--input-type=module", "--eval", program]);
};

/** Starts the program with these arguments. */
export const start = (args: ReadonlyArray<string>, options: StartOptions = {}): Running => {
  const words = [...(options.command ?? [node, bundle]), ...args];
  const [command = node, ...leading] = options.terminal === true ? onTerminal(words) : words;
  const child = spawn(command, leading, {
    cwd: options.cwd,
    detached: options.detached ?? false,
    env: { ...bareEnvironment, ...options.environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  if (options.terminal !== true && options.isOpen !== true) child.stdin.end(options.input ?? "");
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const exit = once(child, "exit");
  const ended = once(child, "close").then(([code, signal]: ReadonlyArray<unknown>): Ended => ({
    code: code as Ended["code"],
    signal: signal as Ended["signal"],
    stdout: stdout(),
    stderr: stderr(),
  }));
  const saying = (stream: NodeJS.ReadableStream, said: () => string) => (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = (): boolean => {
        const found = pattern.exec(said());
        if (found !== null) resolve(found);
        return found !== null;
      };
      if (look()) return;
      stream.on("data", look);
      void ended.then((end) => {
        if (!look()) reject(new Error(`ended without saying ${String(pattern)}: ${JSON.stringify(end)}`));
        return end;
      });
    });
  const [says, complains] = [saying(child.stdout, stdout), saying(child.stderr, stderr)];
  return { child, stdout, stderr, says, complains, ended, exit };
};

/** Runs the program to its end. */
export const cahier = (args: ReadonlyArray<string>, options: StartOptions = {}): Promise<Ended> =>
  start(args, options).ended;

/** The one object that `--json` prints; fails when standard output holds anything else. */
export const objectOf = ({ stdout, stderr }: Ended): Readonly<Record<string, unknown>> => {
  const lines = stdout.split("\n");
  if (lines.length !== 2 || lines[1] !== "") throw new Error(`not one line: ${stdout}${stderr}`);
  const found: unknown = JSON.parse(lines[0] ?? "");
  if (typeof found !== "object" || found === null || Array.isArray(found)) throw new Error(`no object: ${stdout}`);
  return found as Readonly<Record<string, unknown>>;
};

const bareEnvironment: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["PATH", "TMPDIR", "SystemRoot", "npm_config_cache"].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  ),
  HOME: "/nonexistent",
};

/** The program `script`, which most systems have, gives a command a terminal. */
const terminalMaker = "/usr/bin/script";

/** Whether `terminal` can be asked for here. */
export const hasTerminals = process.platform === "linux" && existsSync(terminalMaker);

const onTerminal = (words: ReadonlyArray<string>): ReadonlyArray<string> => [
  terminalMaker,
  "--quiet",
  "--return",
  "--command",
  // The shell in between would end by itself at a signal.
  `exec ${words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ")}`,
  "/dev/null",
];

const collect = (stream: NodeJS.ReadableStream): (() => string) => {
  const chunks: Array<string> = [];
  stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  return () => chunks.join("");
};
