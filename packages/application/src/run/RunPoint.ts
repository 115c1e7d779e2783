/**
 * A moment of a run, by the number of an event or the name of a checkpoint.
 *
 * Owns finding the state that a run had then. Does not own what is done with it.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { CheckpointId, type RunId } from "@cahier/domain/identity/Identity";
import { checkpointOf, checkpointsOf } from "@cahier/domain/run/checkpoint";
import { empty, type RunState } from "@cahier/domain/run/RunState";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { loadState } from "./loadState.ts";

/** After the event of this number (0: before the first), or as a checkpoint names it. */
export type RunPoint = number | string;

/** A moment that a run has: its state then, and the checkpoint if it was named by one. */
export interface FoundPoint {
  readonly seq: number;
  readonly checkpointId?: CheckpointId;
  readonly state: RunState;
}

const isCheckpointId = Schema.is(CheckpointId);

/**
 * The states of a run at `points`, in their order, and now; the journal is read once. A number without an event is
 * `agent.event_not_found`, a name without a checkpoint `agent.checkpoint_not_found`; where the journal is damaged and the
 * moment may lie behind that, it is `journal.corrupt`.
 */
export const find = Effect.fn("RunPoint.find")(function* (
  runId: RunId,
  points: ReadonlyArray<RunPoint>,
): Effect.fn.Return<{ readonly found: ReadonlyArray<FoundPoint>; readonly now: RunState }, Fatal, RunJournal> {
  const journal = yield* RunJournal;
  const numbers = new Set(points);
  const passed = new Map<number, RunState>([[0, empty]]);
  const { damage, state: now } = yield* loadState(journal, runId, (event, state) => {
    if (numbers.has(event.seq) || event.type === "checkpoint_created") passed.set(event.seq, state);
  });
  const found = yield* Effect.forEach(points, (point) => {
    const seq = typeof point === "number" ? point : checkpointOf(now, point)?.seq;
    const state = seq === undefined ? undefined : passed.get(seq);
    if (seq !== undefined && state !== undefined)
      return Effect.succeed({ seq, state, ...(isCheckpointId(point) ? { checkpointId: point } : {}) });
    return Effect.fail(damage === undefined ? absent(point, now) : classifyStorage(damage));
  });
  return { found, now };
});

/** What is said of a moment that the run does not have. */
export const absent = (point: RunPoint, now: RunState): Fatal =>
  typeof point === "number"
    ? fatal(
        "agent.event_not_found",
        `The run has no event ${point}. Its last event is ${now.seq}; 0 is the moment before the first.`,
      )
    : fatal("agent.checkpoint_not_found", `The run has no checkpoint ${point}. ${lastOf(now)}`);

const lastOf = (now: RunState): string => {
  const last = checkpointsOf(now).at(-1);
  return last === undefined ? "It has none yet." : `Its last is ${last.id}; "cahier runs show" lists them all.`;
};
