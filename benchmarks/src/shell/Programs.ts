/**
 * The machine's own programs for the languages of the shell, where it has them.
 */
import { spawnSync } from "node:child_process";

/** A language by the name of its program, and how that program is started. */
export interface Program {
  readonly name: string;
  readonly file: string;
}

/** The program of this name, or undefined where this machine has none. */
export const find = (name: "bash" | "jq" | "python3" | "node"): Program | undefined => {
  if (name === "node") return { name, file: process.execPath };
  const asked = name === "python3" ? ["-c", "import sys; print(sys.executable)"] : ["--version"];
  const { error, status, stdout } = spawnSync(name, asked, { encoding: "utf8" });
  if (error !== undefined || status !== 0) return undefined;
  // What is found in the path may only look for the interpreter.
  return { name, file: name === "python3" ? stdout.trim() : name };
};

/** Runs a program from its start to its end; gives what it wrote. */
export const run = ({ file, name }: Program, given: ReadonlyArray<string>): string => {
  const { error, status, stdout } = spawnSync(file, given, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  if (error !== undefined || status !== 0) throw new Error(`${name} ended with ${String(status ?? error)}`);
  return stdout;
};
