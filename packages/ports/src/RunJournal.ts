/**
 * The append-only journal of every run: the truth of what happened.
 *
 * Owns order, atomicity, durability and the fence. Does not own the meaning of events, nor who is alive: a caller
 * claims a run only after it has judged that its owner is gone.
 */
import type { InvocationId, RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { NewEvent, StoredEvent } from "@cahier/domain/run/EventEnvelope";
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import type * as Stream from "effect/Stream";
import {
  type AlreadyExists,
  type Conflict,
  Corrupt,
  type Fenced,
  type NotFound,
  type Unavailable,
} from "./StorageFault.ts";

/** `createdAt` is ISO 8601 UTC with milliseconds; `workspaceId` places the run in the readable tree. */
export interface RunRecord {
  readonly runId: RunId;
  readonly workspaceId: WorkspaceId;
  readonly createdAt: string;
}

/** Where a writer stands: its epoch and the sequence number of the last event it knows of (0 in an empty journal). */
export interface Position {
  readonly epoch: number;
  readonly expectedSeq: number;
}

/** `afterSeq` gives the first events above it, `beforeSeq` the last below it; both ascending. Neither: from the start. */
export interface ReadOptions {
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
  /** 1 to 500; values outside are clamped. Default 100. */
  readonly limit?: number;
  /** Keeps the events that belong to or concern this invocation; applied before `limit`. */
  readonly invocationId?: InvocationId;
}

/**
 * `lastSeq` is the last readable sequence number of the journal and `epoch` its epoch. `damage` names an earlier
 * damaged line: nothing from there on is readable. `droppedTail` counts the lines of a torn last batch that readers skip.
 */
export interface Page {
  readonly events: ReadonlyArray<StoredEvent>;
  readonly lastSeq: number;
  readonly epoch: number;
  readonly damage?: Corrupt;
  readonly droppedTail: number;
}

/** Newest first; `before` continues after the last record of the previous page. `limit` 1 to 200, default 50. */
export interface ListOptions {
  readonly workspaceId?: WorkspaceId;
  readonly before?: Pick<RunRecord, "createdAt" | "runId">;
  readonly limit?: number;
}

export type ReadFault = NotFound | Unavailable;

/** Laws: `JRN-*` in `@cahier/testkit/laws/RunJournalLaws`. */
export class RunJournal extends Context.Service<
  RunJournal,
  {
    /**
     * Makes an empty journal with epoch 1, owned by the caller. Durable when it returns.
     *
     * With a `history` it is made of the events of another storage, which keep their seq, id, timestamp and epoch. The pages
     * hold them all in order, from seq 1 on; a gap or an epoch that falls is `Corrupt`. All or nothing: until it returns the
     * run does not exist, and one that was stopped can be made again. Such a run has no writer; its epoch is that of its last
     * event.
     */
    readonly create: <E = never>(
      record: RunRecord,
      history?: Stream.Stream<ReadonlyArray<StoredEvent>, E>,
    ) => Effect.Effect<void, AlreadyExists | Corrupt | Unavailable | E>;
    /**
     * Raises the epoch from `expectedEpoch` and appends `event` (`run_owner_changed`) under the new one. At most one of
     * several concurrent claims of one epoch succeeds; the others get `Conflict`.
     */
    readonly claim: (
      runId: RunId,
      expectedEpoch: number,
      event: NewEvent,
    ) => Effect.Effect<
      { readonly epoch: number; readonly lastSeq: number },
      Conflict | Corrupt | NotFound | Unavailable
    >;
    /** Lets go of what the adapter holds for writing this run. The journal itself does not change. */
    readonly release: (runId: RunId) => Effect.Effect<void>;
    /**
     * Appends all events or none, numbered from `expectedSeq + 1`, durable when it returns; gives the new last seq.
     * A stale sequence is `Conflict`, an old epoch `Fenced`: the caller must stop. Not interruptible once begun.
     */
    readonly append: (
      runId: RunId,
      position: Position,
      events: ReadonlyArray<NewEvent>,
    ) => Effect.Effect<number, Conflict | Fenced | Corrupt | NotFound | Unavailable>;
    readonly read: (runId: RunId, options?: ReadOptions) => Effect.Effect<Page, ReadFault>;
    /** Every event above `afterSeq`, each once, in order, without end: what is stored first, then what is appended. */
    readonly tail: (runId: RunId, afterSeq: number) => Stream.Stream<StoredEvent, ReadFault | Corrupt>;
    readonly list: (options?: ListOptions) => Effect.Effect<ReadonlyArray<RunRecord>, Unavailable>;
    /** Removes a run's journal. Idempotent. Does not touch its blobs. */
    readonly remove: (runId: RunId) => Effect.Effect<void, Unavailable>;
  }
>()("@cahier/ports/RunJournal") {}

/** Where a journal that is being restored stands: its last event's number and epoch; 0 and 1 before the first. */
export type Restored = Pick<StoredEvent, "seq" | "epoch">;

/** Why `event` cannot be the next one of a journal that is restored; undefined when it can. */
export const misplaced = (record: RunRecord, before: Restored, event: StoredEvent): Corrupt | undefined => {
  const detail = whyMisplaced(record, before, event);
  return detail === undefined
    ? undefined
    : new Corrupt({ entity: "run", id: record.runId, detail, seq: before.seq + 1 });
};

const whyMisplaced = (record: RunRecord, before: Restored, event: StoredEvent): string | undefined => {
  if (event.runId !== record.runId) return `event ${event.seq} belongs to ${event.runId}`;
  if (event.seq !== before.seq + 1) return `event ${event.seq} follows event ${before.seq}`;
  if (event.epoch < before.epoch) return `the epoch falls from ${before.epoch} to ${event.epoch} at event ${event.seq}`;
  return undefined;
};
