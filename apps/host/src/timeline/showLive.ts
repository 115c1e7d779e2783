/**
 * Prints a run's timeline while it goes on.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { subscribe } from "@cahier/application/run/RunReader";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import * as Output from "../cli/Output.ts";
import { lineOf, type TimelineOptions } from "./Timeline.ts";

/** Colours on a terminal, unless the user wants none (`NO_COLOR`, or a terminal without any); plain lines elsewhere. */
const coloursWanted = (): boolean =>
  process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";

/** How lines are to look where standard output goes. */
export const timelineOptions = (): TimelineOptions => ({
  colours: coloursWanted(),
  ...(process.stdout.isTTY ? { columns: process.stdout.columns } : {}),
});

/** Every line of a run after `afterSeq` until it has ended. */
export const showLive = (runId: RunId, afterSeq: number): Effect.Effect<void, Fatal, RunJournal> => {
  const options = timelineOptions();
  return subscribe(runId, afterSeq).pipe(
    Stream.runForEach((event) => {
      const line = lineOf(event, options);
      return line === undefined ? Effect.void : Output.line(line);
    }),
  );
};
