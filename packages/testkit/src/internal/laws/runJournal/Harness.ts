/**
 * What the laws of RunJournal need of an adapter, and the events that they append.
 */
import { EventId, InvocationId, RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { NewEvent, StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { Position, RunJournal, RunRecord } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as Law from "../../../Law.ts";

export type Journal = RunJournal["Service"];

/** What happens to the end of a run's stored bytes: cut off, or followed by bytes that no append wrote. */
export type Tear = { readonly cutBytes: number } | { readonly appendBytes: Uint8Array };

/** `open` gives a fresh view of the same storage, as another process would have. */
export interface Harness {
  readonly open: Effect.Effect<Journal, unknown, Scope.Scope>;
  /** Forgets everything that was not synced when it happened. Views opened before are not used again. */
  readonly powerLoss?: Effect.Effect<void, unknown>;
  /** Tears the stored end of a run, as a crash in the middle of a write does. */
  readonly tear?: (runId: RunId, tear: Tear) => Effect.Effect<void, unknown>;
  /** Changes one stored byte within the event `seq`. */
  readonly damage?: (runId: RunId, seq: number) => Effect.Effect<void, unknown>;
}

export const law = Law.of<Harness>();

export const workspace = WorkspaceId.make("chat_00000000000000aa");
export const otherWorkspace = WorkspaceId.make("chat_00000000000000bb");
export const root = InvocationId.make("inv_root");
export const child = InvocationId.make("inv_000000000000000000000000000000c1");

/** The n-th run of a law. */
export const runId = (n = 1): RunId => RunId.make(`run_${n.toString(16).padStart(32, "0")}`);

/** A record whose creation is `n` seconds into the day, so that a higher n is newer. */
export const record = (n = 1, workspaceId: WorkspaceId = workspace): RunRecord => ({
  runId: runId(n),
  workspaceId,
  createdAt: new Date(Date.UTC(2026, 0, 2) + n * 1000).toISOString(),
});

/** The n-th event of a law, with some fields set otherwise. */
export const event = (n: number, changes: Partial<NewEvent> = {}): NewEvent => ({
  id: EventId.make(`evt_${n.toString(16).padStart(32, "0")}`),
  timestamp: new Date(Date.UTC(2026, 0, 2) + n).toISOString(),
  level: "info",
  type: "law_event",
  v: 1,
  eventScope: { invocationId: root },
  payload: { n },
  ...changes,
});

/** Events `from` to `to`, both included. */
export const events = (from: number, to: number): ReadonlyArray<NewEvent> =>
  Array.from({ length: to - from + 1 }, (_, index) => event(from + index));

export const ownerChanged = (n: number): NewEvent =>
  event(n, { type: "run_owner_changed", payload: { owner: `owner_${n}` } });

export const at = (expectedSeq: number, epoch = 1): Position => ({ epoch, expectedSeq });

/** A view of a fresh storage with one run in it that has `count` events, appended in one batch. */
export const withRun = Effect.fnUntraced(function* (harness: Harness, count = 0) {
  const journal = yield* harness.open;
  yield* journal.create(record());
  if (count > 0) yield* journal.append(runId(), at(0), events(1, count));
  return journal;
});

/** Runs `use` with a view that is closed again before the result is given. */
export const withView = <A, E>(
  harness: Harness,
  use: (journal: Journal) => Effect.Effect<A, E, Scope.Scope>,
): Effect.Effect<A, unknown> => Effect.scoped(Effect.flatMap(harness.open, use));

export const seqs = (stored: ReadonlyArray<StoredEvent>): ReadonlyArray<number> => stored.map((one) => one.seq);

/** The numbers `from` to `to`, both included. */
export const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);

/** An event with its fields in one order, whatever order an adapter keeps them in; the payload is left as it is. */
export const normal = (stored: StoredEvent): unknown => [
  stored.seq,
  stored.id,
  stored.runId,
  stored.timestamp,
  stored.level,
  stored.type,
  stored.v,
  [stored.eventScope.invocationId, stored.eventScope.relatedInvocationIds],
  [stored.causality?.parentEventId, stored.causality?.requestId],
  stored.payload,
  stored.epoch,
  Object.keys(stored).toSorted(),
];

/** What the event must look like when it is read back. */
export const asStored = (given: NewEvent, seq: number, epoch = 1, run = runId()): unknown =>
  normal({ ...given, seq, runId: run, epoch });
