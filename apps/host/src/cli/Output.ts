/**
 * Where the program's words go. A reader that has closed its end of a pipe hears no more; that is no failure.
 */
import * as Effect from "effect/Effect";
import { printable } from "./printable.ts";

/** One line on standard output. */
export const line = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stdout.write(`${text}\n`));

/** Text on standard output exactly as it is. */
export const raw = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stdout.write(text));

/** One JSON object on a line of standard output. */
export const json = (value: unknown): Effect.Effect<void> => line(JSON.stringify(value));

/** One line on standard error: what went wrong, with its code. */
export const complain = (message: string, code: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stderr.write(`cahier: ${printable(message)} [${code}]\n`));
