/**
 * What a fork shares with the run that it comes from: its events up to a moment, to the end of the step that is there.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { forkObstacle, isSameStep } from "@cahier/domain/run/forkPoint";
import * as RunEvent from "@cahier/domain/run/RunEvent";
import { empty, type RunState } from "@cahier/domain/run/RunState";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { loadState, unsupported } from "../run/loadState.ts";
import * as RunPoint from "../run/RunPoint.ts";

/** `state` is that after the last of `events`. */
export interface Prefix {
  readonly events: ReadonlyArray<StoredEvent>;
  readonly state: RunState;
}

/**
 * The events up to `point` and to the end of its step. A moment that the run does not have is refused as in `RunPoint`,
 * one that nothing can go on from with `agent.fork_unavailable`.
 */
export const readPrefix = Effect.fn("Fork.readPrefix")(function* (
  runId: RunId,
  point: RunPoint.RunPoint,
): Effect.fn.Return<Prefix, Fatal, RunJournal> {
  const journal = yield* RunJournal;
  const prefix = collecting(point);
  const { damage, state: now } = yield* loadState(journal, runId, prefix.add);
  const { events, isReached, isWhole, last, state, unknownTypes } = prefix.found();
  if (damage !== undefined && !isWhole) return yield* classifyStorage(damage);
  if (!isReached) return yield* RunPoint.absent(point, now);
  if (unknownTypes.length > 0) return yield* unsupported(unknownTypes);
  const obstacle = forkObstacle(state, last);
  if (obstacle !== undefined) return yield* fatal("agent.fork_unavailable", `No run can go on from there. ${obstacle}`);
  return { events, state };
});

type Announced = RunEvent.PayloadOf<"model_completed">;

/** Takes events until the step at `point` is whole. */
const collecting = (point: RunPoint.RunPoint) => {
  const events: Array<StoredEvent> = [];
  const unknownTypes: Array<string> = [];
  let state = empty;
  let before: RunEvent.KnownEvent | undefined;
  let last: Announced | undefined;
  let isReached = point === 0;
  let isWhole = false;

  const add = (stored: StoredEvent, after: RunState): void => {
    if (isWhole) return;
    const event = RunEvent.trust(stored);
    const known = RunEvent.isKnown(event) ? event : undefined;
    isWhole = isReached && (known === undefined || !isSameStep(state, before, known));
    if (isWhole) return;
    if (known === undefined) unknownTypes.push(stored.type);
    if (known?.type === "model_completed" && known.eventScope.invocationId === after.foreground) last = known.payload;
    isReached ||= isAt(stored, point);
    events.push(stored);
    before = known ?? before;
    state = after;
  };

  return { add, found: () => ({ events, state, last, isReached, isWhole, unknownTypes }) };
};

const isAt = ({ payload, seq, type }: StoredEvent, point: RunPoint.RunPoint): boolean =>
  typeof point === "number"
    ? seq === point
    : type === "checkpoint_created" && (payload as { readonly checkpointId?: unknown }).checkpointId === point;
