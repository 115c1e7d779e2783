/**
 * How a mutant is made of a correct journal.
 */
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { RunRecord } from "@cahier/ports/RunJournal";
import type { AlreadyExists, Corrupt, Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import type { Journal } from "../../laws/runJournal/Harness.ts";
import type { RunJournalHarness } from "../../../laws/RunJournalLaws.ts";
import * as Change from "../../../mutants/Change.ts";

/** Replaces members of every view that is opened. */
export const change = Change.of<Journal, RunJournalHarness>();

/** Changes every event on its way to a reader. */
export const mapEvents = (
  map: (event: StoredEvent) => StoredEvent,
): ((harness: RunJournalHarness) => RunJournalHarness) =>
  change((journal) => ({
    read: (runId, options) =>
      Effect.map(journal.read(runId, options), (page) => ({ ...page, events: page.events.map(map) })),
    tail: (runId, afterSeq) => Stream.map(journal.tail(runId, afterSeq), map),
  }));

/** Appends each event by itself, giving way to other fibers in between. */
export const oneByOne =
  (journal: Journal): Journal["append"] =>
  (runId, position, events) =>
    Effect.gen(function* () {
      for (const [index, event] of events.entries()) {
        yield* journal.append(runId, { ...position, expectedSeq: position.expectedSeq + index }, [event]);
        yield* Effect.yieldNow;
      }
      return position.expectedSeq + events.length;
    });

/** Making a journal of a history. */
export type Restore = <E>(
  record: RunRecord,
  history: Stream.Stream<ReadonlyArray<StoredEvent>, E>,
) => Effect.Effect<void, AlreadyExists | Corrupt | Unavailable | E>;

/** Replaces making a journal of a history, and other members; a journal without history is made as it should be. */
export const restoring = (
  members: (journal: Journal) => Partial<Journal> & { readonly restore: Restore },
): ((harness: RunJournalHarness) => RunJournalHarness) =>
  change((journal) => {
    const { restore, ...others } = members(journal);
    return {
      ...others,
      create: (record, history) => (history === undefined ? journal.create(record) : restore(record, history)),
    };
  });
