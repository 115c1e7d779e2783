/**
 * Where the program's words go.
 */
import * as Effect from "effect/Effect";

/** One line on standard output. */
export const line = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stdout.write(`${text}\n`));

/** Text on standard output exactly as it is. */
export const raw = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stdout.write(text));

/** One JSON object on a line of standard output. */
export const json = (value: unknown): Effect.Effect<void> => line(JSON.stringify(value));

/** One line on standard error. */
export const complain = (text: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stderr.write(`${text}\n`));
