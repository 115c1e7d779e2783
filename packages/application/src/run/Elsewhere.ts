/**
 * Asking the process that carries a run on for something, from another one.
 *
 * Owns the wait: for what the owner records, its refusal, or that it does not answer. Does not own what is asked.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { RunState } from "@cahier/domain/run/RunState";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import { classifyStorage } from "../failure/classifyStorage.ts";
import * as Inbox from "./Inbox.ts";
import { Ownership } from "./Ownership.ts";

type Without<Request> = Request extends unknown ? Omit<Request, "at"> : never;

export interface Elsewhere {
  /** Whether a living process has the run. */
  readonly isCarriedOn: (runId: RunId, state: RunState) => Effect.Effect<boolean, Fatal>;
  /**
   * Leaves a request for the owner. Gives its id once the owner has recorded it, or undefined when it has let the run go first;
   * then nothing is asked any more. A refusal fails as it stands; silence is `agent.host_timeout`.
   */
  readonly request: (
    runId: RunId,
    state: RunState,
    request: Without<Inbox.InboxRequest>,
  ) => Effect.Effect<string | undefined, Fatal>;
  /** Asks the owner to stop and waits until the run has no owner or has ended, or the owner is dead. */
  readonly stop: (runId: RunId, state: RunState) => Effect.Effect<void, Fatal>;
}

export const make = Effect.gen(function* () {
  const journal = yield* RunJournal;
  const documents = yield* DocumentStore;
  const ownership = yield* Ownership;

  const isCarriedOn: Elsewhere["isCarriedOn"] = (runId, { owner }) =>
    owner === null ? Effect.succeed(false) : ownership.isCarriedOn(runId, owner);

  const leave = Effect.fnUntraced(function* (
    runId: RunId,
    request: Without<Inbox.InboxRequest>,
  ): Effect.fn.Return<string, Fatal> {
    const at = new Date(yield* Clock.currentTimeMillis).toISOString();
    return yield* Effect.provideService(Inbox.ask(runId, { ...request, at }), DocumentStore, documents);
  });

  const takeBack = (runId: RunId, requestId: string): Effect.Effect<void> =>
    Effect.ignore(documents.remove(Inbox.collectionOf(runId), requestId));

  /** Waits for an event behind `state`. */
  const until = (
    runId: RunId,
    { seq }: RunState,
    isAwaited: (event: StoredEvent) => boolean,
  ): Effect.Effect<void, Fatal> =>
    journal.tail(runId, seq).pipe(Stream.takeUntil(isAwaited), Stream.runDrain, Effect.mapError(classifyStorage));

  const inTime = <A>(
    runId: RunId,
    state: RunState,
    { kind, requestId }: Left,
    waiting: Effect.Effect<A, Fatal>,
  ): Effect.Effect<A, Fatal> =>
    Effect.timeoutOrElse(waiting, {
      duration: answerDeadlineMs,
      orElse: () => Effect.andThen(takeBack(runId, requestId), Effect.fail(unanswered(state, kind))),
    });

  const request: Elsewhere["request"] = Effect.fnUntraced(function* (runId, state, asked) {
    const requestId = yield* leave(runId, asked);
    const seen = { taken: false };
    const answer = until(runId, state, (event) => {
      seen.taken = event.causality?.requestId === requestId;
      return seen.taken || isEnd(event);
    });
    yield* inTime(
      runId,
      state,
      { kind: asked.kind, requestId },
      Effect.raceFirst(answer, Inbox.refused(documents, runId, requestId)),
    );
    if (seen.taken) return requestId;
    yield* takeBack(runId, requestId);
    return undefined;
  });

  const untilDead = (runId: RunId, state: RunState): Effect.Effect<void, Fatal> =>
    Effect.sleep(1000).pipe(
      Effect.andThen(isCarriedOn(runId, state)),
      Effect.repeat({ while: (alive) => alive }),
      Effect.asVoid,
    );

  const stop: Elsewhere["stop"] = Effect.fnUntraced(function* (runId, state) {
    const requestId = yield* leave(runId, { kind: "cancel" });
    const ended = inTime(runId, state, { kind: "cancel", requestId }, until(runId, state, isAnswer)).pipe(
      Effect.andThen(until(runId, state, isEnd)),
    );
    yield* Effect.raceFirst(ended, untilDead(runId, state));
  });

  return { isCarriedOn, request, stop } satisfies Elsewhere;
});

/** How long a living process may take to answer a request. */
const answerDeadlineMs = 10_000;

/** A request that lies in the inbox. */
interface Left {
  readonly kind: Inbox.InboxRequest["kind"];
  readonly requestId: string;
}

/** What is to be done once the process is ended. */
const next: { readonly [Kind in Inbox.InboxRequest["kind"]]: string } = {
  cancel: "then cancel the run again",
  guidance: "then resume the run and tell its agent again",
  decision: "then decide on the call again",
  answer: "then resume the run: its question ends with that process",
};

const unanswered = ({ owner }: RunState, kind: Inbox.InboxRequest["kind"]): Fatal =>
  fatal(
    "agent.host_timeout",
    `Process ${owner?.pid} on ${owner?.machine} has the run and did not answer within ${answerDeadlineMs / 1000} seconds. If it does not work on the run any more, end that process; ${next[kind]}.`,
  );

/** An event after which the run has no living owner, or has ended. */
const isEnd = (event: StoredEvent): boolean => terminalTypes.has(event.type) || event.type === "run_owner_changed";

const isAnswer = (event: StoredEvent): boolean => event.type === "run_cancel_requested" || isEnd(event);

const terminalTypes = new Set(["run_completed", "run_failed", "run_partial_success", "run_cancelled"]);
