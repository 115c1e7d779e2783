/**
 * What the languages beside the shell's own have in common.
 */
import type { ResolvedCommandContext } from "just-bash";
import { decodeBytesToUtf8 } from "just-bash";
import * as posix from "node:path/posix";
import type { Tree } from "./Tree.ts";

/** A program as a command line gives it: its text, what it is called, and its arguments without its own name. */
export interface Program {
  readonly source: string;
  readonly name: string;
  readonly args: ReadonlyArray<string>;
}

/** What to say instead of running: of the command's usage or of a file that is not there. */
export interface Refusal {
  readonly refused: string;
  readonly exitCode: number;
}

/**
 * Finds the program of `command [flag CODE | FILE | -] [argument...]`. A file is looked for from the current folder, then from
 * the root, so that `skills/x/scripts/y` is found by that name from everywhere.
 */
export const programOf = (
  command: string,
  codeFlags: ReadonlyArray<string>,
  args: ReadonlyArray<string>,
  context: ResolvedCommandContext,
  tree: Tree,
): Program | Refusal => {
  const [first, ...rest] = args;
  if (first === undefined || first === "-") {
    return { source: decodeBytesToUtf8(context.stdin), name: first ?? "-", args: rest };
  }
  if (codeFlags.includes(first)) {
    const [source, ...further] = rest;
    if (source === undefined) return { refused: `${command}: ${first} needs code after it`, exitCode: 2 };
    return { source, name: first, args: further };
  }
  if (first.startsWith("-")) {
    const usage = `usage: ${command} [${codeFlags[0] ?? "-"} CODE | FILE | -] [ARGUMENT...]`;
    return { refused: `${command}: ${first} is not an option here\n${usage}`, exitCode: 2 };
  }
  const path = [posix.resolve(context.cwd, first), posix.resolve("/", first)].find((each) => tree.exists(each));
  if (path === undefined) {
    return { refused: `${command}: can't open file '${first}': No such file or directory`, exitCode: 2 };
  }
  if (tree.node(path, "open").kind === "folder") {
    return { refused: `${command}: can't open file '${first}': Is a directory`, exitCode: 2 };
  }
  return { source: text(tree.read(path)), name: path, args: rest };
};

/** The bytes as UTF-8, without a byte order mark. */
export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Text that a program writes, up to a number of characters: the rest is dropped and `full` is true. */
export class Output {
  readonly #most: number;
  readonly #parts: Array<string> = [];
  #length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get full(): boolean {
    return this.#length >= this.#most;
  }

  get text(): string {
    return this.#parts.join("");
  }

  write(part: string): void {
    const room = this.#most - this.#length;
    if (room <= 0) return;
    const kept = part.length <= room ? part : part.slice(0, room);
    this.#parts.push(kept);
    this.#length += kept.length;
  }
}
