/**
 * The one writer of a run: folds what is about to be recorded and appends it in batches.
 *
 * Owns sequence, envelope and the state ahead of the journal. Does not own what to record. Nothing outside the runtime
 * may be touched between `record` and a successful `flush`: the journal comes first.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import { evolve } from "@cahier/domain/run/evolve";
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";
import { definitions, type KnownEvent, type RunEventDraft } from "@cahier/domain/run/RunEvent";
import type { RunState } from "@cahier/domain/run/RunState";
import { type Denied, type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Option from "effect/Option";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { isHostTrouble } from "../failure/hostTrouble.ts";
import * as Identifiers from "../identity/Identifiers.ts";

export interface RunWriter {
  readonly runId: RunId;
  /** The state with everything recorded so far, appended or not. */
  readonly state: () => RunState;
  /** The sequence number that the next recorded event will have. */
  readonly nextSeq: () => number;
  /** Records events in order: they change the state at once and are appended by the next `flush`. */
  readonly record: (...drafts: ReadonlyArray<RunEventDraft>) => void;
  /** Records an event that happened at `timestamp` (ISO 8601, not before the last recorded one). */
  readonly recordAt: (timestamp: string, draft: RunEventDraft) => void;
  /** Records an event as another run has it, with its own time. */
  readonly copy: (event: NewEvent) => void;
  /**
   * Runs what belongs together alone: nobody else records or appends while it does, so that a batch never ends in the middle
   * of it. When this host is the trouble, what it recorded and did not append is taken back. A section that is `unbroken` is
   * not interrupted once it has begun.
   */
  readonly exclusively: <A, E extends Denied | Fatal, R>(
    section: Effect.Effect<A, E, R>,
    unbroken?: boolean,
  ) => Effect.Effect<A, E, R>;
  /** Whether nobody is within a section: then whatever is recorded at once is alone by itself. */
  readonly isFree: () => boolean;
  /** Appends everything recorded as one batch; durable when it returns. After a failure the writer appends nothing more. */
  readonly flush: Effect.Effect<void, Fatal>;
  /** Milliseconds since the epoch, from the run's clock. */
  readonly now: () => number;
}

/** A writer that stands at `state` under the epoch that its owner has claimed. */
export const make = Effect.fnUntraced(function* (runId: RunId, epoch: number, from: RunState) {
  const journal = yield* RunJournal;
  const identifiers = yield* Identifiers.Identifiers;
  const clock = yield* Clock.Clock;
  const now = (): number => clock.currentTimeMillisUnsafe();
  let state = from;
  let appendedState = from;
  let appended = from.seq;
  let pending: Array<NewEvent> = [];
  let failure: Fatal | undefined;
  // A step records most of its events within one millisecond.
  let latest = { millisecond: Number.NaN, text: "" };

  const copy: RunWriter["copy"] = (event) => {
    pending.push(event);
    state = evolve(state, { ...event, seq: state.seq + 1, runId, epoch } as unknown as KnownEvent);
  };

  const recordAt: RunWriter["recordAt"] = (timestamp, draft) => {
    const definition = definitions[draft.type];
    copy({
      id: Identifiers.eventId(identifiers.next()),
      timestamp,
      level: draft.level ?? definition.level,
      type: draft.type,
      v: definition.v,
      eventScope: {
        invocationId: draft.invocationId,
        ...(draft.related === undefined ? {} : { relatedInvocationIds: draft.related }),
      },
      ...(draft.requestId === undefined ? {} : { causality: { requestId: draft.requestId } }),
      // Payloads of the domain's schemas are plain JSON values: their encoded form is themselves.
      payload: draft.payload,
    });
  };

  const record: RunWriter["record"] = (...drafts) => {
    const millisecond = now();
    if (millisecond !== latest.millisecond) latest = { millisecond, text: new Date(millisecond).toISOString() };
    for (const draft of drafts) recordAt(latest.text, draft);
  };

  /** Gives a function that takes back what is recorded from now on and not appended when it is called. */
  const mark = (): (() => void) => {
    const marked = state;
    return () => {
      state = marked.seq >= appended ? marked : appendedState;
      pending = pending.slice(0, state.seq - appended);
    };
  };

  let isHeld = false;
  const waiting = new Set<() => void>();

  /** Waits until nobody is within a section; by the time that whoever waited goes on, another one may be. */
  const untilFree = Effect.callback<void>((resume) => {
    if (!isHeld) return resume(Effect.void);
    const wake = (): void => {
      waiting.delete(wake);
      resume(Effect.void);
    };
    waiting.add(wake);
    return Effect.sync(() => void waiting.delete(wake));
  });

  const release = (): void => {
    isHeld = false;
    // Whoever is woken may take its turn at once, and the others wait again, in their order.
    if (waiting.size > 0) for (const wake of Array.from(waiting)) wake();
  };

  // A run with one agent passes here several times a round: nobody is waited for then, and one finalizer does it all.
  const exclusively: RunWriter["exclusively"] = <A, E extends Denied | Fatal, R>(
    section: Effect.Effect<A, E, R>,
    unbroken = false,
  ) =>
    Effect.uninterruptibleMask((restore) => {
      const enter = (): Effect.Effect<A, E, R> => {
        if (isHeld) return Effect.flatMap(restore(untilFree), enter);
        isHeld = true;
        const takeBack = mark();
        return Effect.onExitPrimitive(unbroken ? section : restore(section), (exit) => {
          if (isOfHost(exit)) takeBack();
          release();
          return undefined;
        });
      };
      return enter();
    });

  const flush: RunWriter["flush"] = Effect.suspend(() => {
    if (failure !== undefined) return Effect.fail(failure);
    if (pending.length === 0) return Effect.void;
    const batch = pending;
    const upTo = state;
    pending = [];
    return Effect.uninterruptible(
      journal.append(runId, { epoch, expectedSeq: appended }, batch).pipe(
        Effect.mapError((fact) => {
          failure = classifyStorage(fact);
          return failure;
        }),
        Effect.flatMap((lastSeq) => {
          appended = lastSeq;
          appendedState = upTo;
          if (lastSeq === state.seq - pending.length) return Effect.void;
          failure = fatal("journal.conflict", "The journal numbered the events otherwise than expected.");
          return Effect.fail(failure);
        }),
      ),
    );
  });

  return {
    runId,
    state: () => state,
    nextSeq: () => state.seq + 1,
    record,
    recordAt,
    copy,
    exclusively,
    isFree: () => !isHeld,
    flush,
    now,
  } satisfies RunWriter;
});

const isOfHost = (exit: Exit.Exit<unknown, Denied | Fatal>): boolean =>
  Exit.isFailure(exit) && Option.exists(Cause.findErrorOption(exit.cause), isHostTrouble);
