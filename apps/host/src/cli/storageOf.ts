/**
 * The storage that a command line names, to open it and to name it again in a command that is printed.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type * as Effect from "effect/Effect";
import * as Storage from "../composition/Storage.ts";
import { type ParsedCommand, valueOf } from "./parse.ts";

/** The storage of a command, of the environment where it names none. */
export const storageOf = (command: ParsedCommand): Effect.Effect<Storage.Chosen, Fatal> =>
  Storage.choose({ data: valueOf(command, "data"), storage: valueOf(command, "storage") }, process.env);

/** The words that name the same storage in another command. A server's address stays out: it may hold a password. */
export const storageWords = (command: ParsedCommand): ReadonlyArray<string> => {
  const data = valueOf(command, "data");
  if (data !== undefined) return ["--data", quoted(data)];
  const storage = valueOf(command, "storage");
  if (storage === undefined) return [];
  return ["--storage", Storage.isServer(storage) ? '"$CAHIER_STORAGE"' : quoted(storage)];
};

/** One word of a shell's command line. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
