/**
 * `cahier runs diff`: what changed in a run's workspace between two of its moments.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { type DiffOptions, readDiff } from "@cahier/application/diff/readDiff";
import { parseRunId } from "@cahier/application/run/RunReader";
import * as Effect from "effect/Effect";
import { look } from "./look.ts";
import * as Output from "./Output.ts";
import { has, type ParsedCommand } from "./parse.ts";
import { isPoint, pointOf } from "./point.ts";
import { printableLines } from "./printable.ts";

/** Prints the diff as it is for a program, and made safe on a terminal. Nothing differs: nothing, or a word about it. */
export const diff = Effect.fn("cli.diff")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [run = "", ...words] = command.positionals;
  const runId = yield* parseRunId(run);
  return yield* look(
    command,
    Effect.gen(function* () {
      const found = yield* readDiff(runId, optionsOf(words));
      if (has(command, "json")) yield* Output.json(found);
      else if (process.stdout.isTTY && found.files.length === 0) yield* Output.line("No file differs.");
      else for (const one of found.files) yield* Output.raw(process.stdout.isTTY ? printableLines(one.diff) : one.diff);
      return 0;
    }),
  );
});

/** The first two words may be moments; what follows the first path are paths. */
const optionsOf = (words: ReadonlyArray<string>): DiffOptions => {
  const [from, to] = words;
  if (from === undefined || !isPoint(from)) return { paths: words };
  if (to === undefined || !isPoint(to)) return { from: pointOf(from), paths: words.slice(1) };
  return { from: pointOf(from), to: pointOf(to), paths: words.slice(2) };
};
