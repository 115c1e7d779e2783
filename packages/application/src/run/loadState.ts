/**
 * Folds a run's journal, page by page.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { evolve } from "@cahier/domain/run/evolve";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import * as RunEvent from "@cahier/domain/run/RunEvent";
import { empty, type RunState } from "@cahier/domain/run/RunState";
import type { RunJournal } from "@cahier/ports/RunJournal";
import type { Corrupt } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import { classifyStorage } from "../failure/classifyStorage.ts";

/** The journal's largest page. */
const pageSize = 500;

/** `damage`: where reading stopped; the state is that of everything before. */
export interface LoadedRun {
  readonly state: RunState;
  readonly epoch: number;
  readonly damage?: Corrupt;
  /** Event types of a later version that the fold passed over. */
  readonly unknownTypes: ReadonlyArray<string>;
}

/**
 * The folded run. `each` sees every event on the way, in order and as it is written today, with the state after it. Behind a
 * state `from` that is known already only what follows is read.
 */
export const loadState = Effect.fn("RunState.load")(function* (
  journal: RunJournal["Service"],
  runId: RunId,
  each?: (event: StoredEvent, state: RunState) => void,
  from: RunState = empty,
): Effect.fn.Return<LoadedRun, Fatal> {
  let state = from;
  const unknownTypes = new Set<string>();
  for (;;) {
    const page = yield* journal
      .read(runId, { afterSeq: state.seq, limit: pageSize })
      .pipe(Effect.mapError(classifyStorage));
    for (const stored of page.events) {
      const event = RunEvent.trust(stored);
      if (!RunEvent.isKnown(event)) unknownTypes.add(stored.type);
      state = evolve(state, event);
      each?.(RunEvent.isKnown(event) ? event : stored, state);
    }
    if (page.events.length < pageSize || page.damage !== undefined)
      return {
        state,
        epoch: page.epoch,
        ...(page.damage === undefined ? {} : { damage: page.damage }),
        unknownTypes: [...unknownTypes],
      };
  }
});

/** A folded run that may be written on: nothing damaged, nothing from a later version. `each` and `from` as in `loadState`. */
export const loadWritable = Effect.fnUntraced(function* (
  journal: RunJournal["Service"],
  runId: RunId,
  each?: (event: StoredEvent, state: RunState) => void,
  from?: RunState,
): Effect.fn.Return<LoadedRun, Fatal> {
  const loaded = yield* loadState(journal, runId, each, from);
  if (loaded.damage !== undefined) return yield* classifyStorage(loaded.damage);
  if (loaded.unknownTypes.length > 0) return yield* unsupported(loaded.unknownTypes);
  return loaded;
});

/** The refusal of events that this version does not know. */
export const unsupported = (types: ReadonlyArray<string>): Fatal =>
  fatal(
    "journal.version_unsupported",
    `The run was written by a newer version of Cahier (it has events of type ${types.join(", ")}). Carry it on with that version.`,
  );
