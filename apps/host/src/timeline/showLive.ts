/**
 * Prints a run's timeline while it goes on.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import type { TaskState } from "@cahier/domain/task/Task";
import { subscribe } from "@cahier/application/run/RunReader";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import * as Output from "../cli/Output.ts";
import * as AgentNames from "./AgentNames.ts";
import { lineOf, type TimelineOptions } from "./Timeline.ts";

/** Colours on a terminal, unless the user wants none (`NO_COLOR`, or a terminal without any); plain lines elsewhere. */
const coloursWanted = (): boolean =>
  process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";

/** How lines are to look where standard output goes. */
export const timelineOptions = (): TimelineOptions => ({
  colours: coloursWanted(),
  ...(process.stdout.isTTY ? { columns: process.stdout.columns } : {}),
});

/** Every line of a run after `afterSeq` until it has ended. `tasks` are those that its agents have by then. */
export const showLive = Effect.fnUntraced(function* (
  runId: RunId,
  afterSeq: number,
  tasks: ReadonlyArray<TaskState>,
): Effect.fn.Return<void, Fatal, BlobStore | RunJournal> {
  const names = yield* AgentNames.make(runId, tasks);
  const options = { ...timelineOptions(), nameOf: names.nameOf };
  yield* subscribe(runId, afterSeq).pipe(
    Stream.tap(names.learn),
    Stream.runForEach((event) => {
      const line = lineOf(event, options);
      return line === undefined ? Effect.void : Output.line(line);
    }),
  );
});
