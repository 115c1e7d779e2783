/**
 * A server as a process: messages as lines on its standard input and output.
 *
 * Owns the process and its ending: its input is closed, then it and what it has started are told to end, then killed, all
 * within the time for closing. Where the process ends by itself, what it has started is killed at once. Starts no shell, and gives the process no more environment than it is told to. Keeps the
 * latest of what the process says on its error output, for diagnostics.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import * as Exchange from "./Exchange.ts";
import { limits } from "./limits.ts";

export interface Command {
  readonly command: string;
  readonly arguments: ReadonlyArray<string>;
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string | undefined;
}

export interface Said {
  readonly text: string;
  readonly isWhole: boolean;
}

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly #command: Command;
  #process: ChildProcessWithoutNullStreams | undefined;
  #pieces: Array<Buffer> = [];
  #bytes = 0;
  #said = { text: "", isWhole: true };
  #end: string | undefined;
  #ending: Promise<void> | undefined;
  readonly #over = Promise.withResolvers<boolean>();

  constructor(command: Command) {
    this.#command = command;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  get stderr(): null {
    return null;
  }

  /** The end of what the process has said on its error output, and whether that is all. */
  get said(): Said {
    return this.#said;
  }

  /** How the process has ended by itself; undefined where it has not, or was told to. */
  get end(): string | undefined {
    return this.#end;
  }

  start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { command, arguments: given, environment, folder } = this.#command;
    const child = spawn(command, [...given], {
      env: { ...inherited(), ...environment },
      stdio: ["pipe", "pipe", "pipe"],
      shell: false,
      windowsHide: true,
      // A group of its own, so that what a wrapper has started ends with it.
      detached: process.platform !== "win32",
      ...(folder === undefined ? {} : { cwd: folder }),
    });
    this.#process = child;
    child.on("spawn", () => resolve());
    child.on("error", (error) => {
      reject(new Error(`the command did not start (${codeOf(error)})`));
      this.#gone();
    });
    child.on("exit", (code, name) => {
      if (this.#ending === undefined) this.#end = name ?? `exit code ${code}`;
      void this.#ended(child);
    });
    child.stdin.on("error", () => undefined);
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      const text = this.#said.text + chunk;
      const isWhole = this.#said.isWhole && text.length <= saidCharacters;
      this.#said = { text: text.slice(-saidCharacters), isWhole };
    });
    return promise;
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#process;
    if (child === undefined || this.#ending !== undefined) return Promise.reject(hasEnded());
    // A process that does not read any more has ended, mostly: how, is known a moment later.
    if (!child.stdin.writable)
      return within(this.#over.promise, limits.closeMs / 4).then(() => Promise.reject(hasEnded()));
    const exchange = Exchange.current();
    if (exchange?.isAbandoned === true) return Promise.reject(new Error("nobody waits for the answer"));
    if (exchange !== undefined) exchange.left = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (child.stdin.write(`${JSON.stringify(message)}\n`)) resolve();
    else child.stdin.once("drain", resolve);
    return promise;
  }

  close(): Promise<void> {
    this.#ending ??= this.#close();
    return this.#ending;
  }

  async #close(): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    const exited = new Promise<boolean>((resolve) => child.once("exit", () => resolve(true)));
    const isAlive = () => child.exitCode === null && child.signalCode === null && child.pid !== undefined;
    child.stdin.end();
    if (isAlive() && !(await within(exited, limits.closeMs / 2))) {
      signal(child, "SIGTERM");
      await within(exited, limits.closeMs / 4);
    }
    if (isAlive()) {
      signal(child, "SIGKILL");
      await within(exited, limits.closeMs / 4);
    }
    this.#gone();
  }

  /** The process has ended: what it has started is killed, and what was written until then is read. */
  async #ended(child: ChildProcessWithoutNullStreams): Promise<void> {
    const closed = new Promise<boolean>((resolve) => child.once("close", () => resolve(true)));
    signal(child, "SIGKILL");
    // Somebody who has left the group may hold the output open for ever.
    await within(closed, limits.closeMs / 4);
    this.#gone();
  }

  /** The process has ended, or is not to be heard any more. */
  #gone(): void {
    const child = this.#process;
    if (child === undefined) return;
    this.#process = undefined;
    child.stdout.destroy();
    child.stderr.destroy();
    child.stdin.destroy();
    this.#over.resolve(true);
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    const pieces = linesOf(chunk);
    for (const [index, piece] of pieces.entries()) {
      this.#pieces.push(piece);
      this.#bytes += piece.length;
      if (this.#bytes > limits.responseBytes) return this.#refuse();
      if (index < pieces.length - 1) this.#deliver(this.#line());
    }
  }

  #line(): string {
    const line = Buffer.concat(this.#pieces).toString("utf8");
    this.#pieces = [];
    this.#bytes = 0;
    return line;
  }

  #deliver(line: string): void {
    if (line.trim() === "") return;
    const message = messageOf(line);
    if (message === undefined) this.onerror?.(new Error("the server wrote a line that is no message"));
    else this.onmessage?.(message);
  }

  #refuse(): void {
    this.#line();
    this.#said = { text: "the server wrote a line larger than 4 MiB", isWhole: true };
    void this.close();
  }
}

/** The lines of a chunk; the last one goes on in the next chunk. */
const linesOf = (chunk: Buffer): ReadonlyArray<Buffer> => {
  const lines: Array<Buffer> = [];
  for (let from = 0; ;) {
    const end = chunk.indexOf("\n", from);
    if (end === -1) return [...lines, chunk.subarray(from)];
    lines.push(chunk.subarray(from, end));
    from = end + 1;
  }
};

/** So much of the error output is kept. */
const saidCharacters = 16 * 1024;

const inherited = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ["PATH", "HOME"].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

const hasEnded = () => new Error("the process of the server has ended");

const messageOf = (line: string): JSONRPCMessage | undefined => {
  try {
    const value: unknown = JSON.parse(line);
    const isMessage = typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
    return isMessage ? (value as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
};

const within = (exited: Promise<boolean>, milliseconds: number): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), milliseconds);
  return Promise.race([promise, exited]).finally(() => clearTimeout(timer));
};

/** To the whole group; one that has gone is none. */
const signal = (child: ChildProcessWithoutNullStreams, name: NodeJS.Signals): void => {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(name);
    else process.kill(-child.pid, name);
  } catch {
    child.kill(name);
  }
};

const codeOf = (error: Error & { readonly code?: unknown }): string =>
  typeof error.code === "string" ? error.code : error.name;
