/**
 * Journals that break the laws of restoring.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { RunRecord } from "@cahier/ports/RunJournal";
import { Corrupt } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import * as Harness from "../../laws/runJournal/Harness.ts";
import type { RunJournalHarness } from "../../../laws/RunJournalLaws.ts";
import type { Mutant } from "../../../Mutant.ts";
import * as Change from "../../../mutants/Change.ts";
import { type Restore, restoring } from "./change.ts";

export const mutants: ReadonlyArray<Mutant<RunJournalHarness>> = [
  {
    kills: "JRN-40",
    title: "a restore that writes all events under the last epoch",
    breaks: restoring((journal) => ({
      restore: (record, pages) =>
        Effect.flatMap(Stream.runCollect(pages), (all) => {
          const last = all.flat().at(-1)?.epoch ?? 1;
          return journal.create(
            record,
            mapEvents(Stream.fromIterable(all), (event) => ({ ...event, epoch: last })),
          );
        }),
    })),
  },
  {
    kills: "JRN-40",
    title: "a restore that dates the events anew",
    breaks: restoring((journal) => ({
      restore: (record, pages) =>
        journal.create(
          record,
          mapEvents(pages, (event) => ({ ...event, timestamp: record.createdAt })),
        ),
    })),
  },
  {
    kills: "JRN-41",
    title: "a restored run that begins again at epoch 1",
    breaks: restoring((journal) => ({
      restore: (record, pages) =>
        journal.create(
          record,
          mapEvents(pages, (event) => ({ ...event, epoch: 1 })),
        ),
    })),
  },
  {
    kills: "JRN-42",
    title: "a restore that replaces the run that is there",
    breaks: restoring((journal) => ({
      restore: (record, pages) => Effect.andThen(journal.remove(record.runId), journal.create(record, pages)),
    })),
  },
  {
    kills: "JRN-43",
    title: "a restore that keeps what came before the failure",
    breaks: restoring((journal) => ({
      restore: (record, pages) =>
        Effect.andThen(journal.create(record, pages.pipe(Stream.catch(() => Stream.empty))), Stream.runDrain(pages)),
    })),
  },
  {
    kills: "JRN-44",
    title: "a restore that makes the run first and fills it page by page",
    breaks: restoring((journal) => ({ restore: pageByPage(journal) })),
  },
  {
    kills: "JRN-45",
    title: "a restore that makes the run first and fills it page by page",
    breaks: restoring((journal) => ({ restore: pageByPage(journal) })),
  },
  {
    kills: "JRN-46",
    title: "a restore that numbers the events itself",
    breaks: restoring((journal) => ({
      restore: (record, pages) => {
        const last = { seq: 0 };
        return journal.create(
          record,
          mapEvents(pages, (event) => ({ ...event, seq: (last.seq += 1) })),
        );
      },
    })),
  },
  {
    kills: "JRN-46",
    title: "a restore that lifts an epoch that falls",
    breaks: restoring((journal) => ({
      restore: (record, pages) => {
        const highest = { epoch: 0 };
        return journal.create(
          record,
          mapEvents(pages, (event) => ({ ...event, epoch: (highest.epoch = Math.max(highest.epoch, event.epoch)) })),
        );
      },
    })),
  },
  {
    kills: "JRN-47",
    title: "a list without the runs that were restored",
    breaks: (harness) => {
      const restored = new Set<RunId>();
      return restoring((journal) => ({
        restore: (record, pages) =>
          Effect.tap(journal.create(record, pages), () => Effect.sync(() => restored.add(record.runId))),
        list: (options) =>
          Effect.map(journal.list(options), (records) => records.filter((record) => !restored.has(record.runId))),
      }))(harness);
    },
  },
  {
    kills: "JRN-47",
    title: "a restore that takes the run for a new one of its first workspace",
    breaks: restoring((journal) => ({
      restore: (record, pages) => journal.create({ ...record, workspaceId: Harness.workspace }, pages),
    })),
  },
  {
    kills: "JRN-48",
    title: "a restore that makes nothing of no events",
    breaks: restoring((journal) => ({
      restore: (record, pages) =>
        Effect.flatMap(Stream.runCollect(pages), (all) =>
          all.flat().length === 0 ? Effect.void : journal.create(record, Stream.fromIterable(all)),
        ),
    })),
  },
  {
    kills: "JRN-49",
    title: "a restore that returns before it is synced",
    breaks: Change.unsynced<Harness.Journal, RunJournalHarness>()((journal, later, sync) => ({
      create: (record, history) =>
        history === undefined
          ? journal.create(record)
          : Effect.flatMap(Stream.runCollect(history), (all) =>
              later(journal.create(record, Stream.fromIterable(all))),
            ),
      claim: (runId, epoch, event) => Effect.andThen(sync, journal.claim(runId, epoch, event)),
      read: (runId, options) => Effect.andThen(sync, journal.read(runId, options)),
    })),
  },
];

const mapEvents = <E>(
  pages: Stream.Stream<ReadonlyArray<StoredEvent>, E>,
  map: (event: StoredEvent) => StoredEvent,
): Stream.Stream<ReadonlyArray<StoredEvent>, E> => Stream.map(pages, (page) => page.map(map));

/** Readers see the run while it is made, and what was made stays when it is stopped. */
const pageByPage =
  (journal: Harness.Journal): Restore =>
  <E>(record: RunRecord, pages: Stream.Stream<ReadonlyArray<StoredEvent>, E>) =>
    Effect.andThen(
      journal.create(record),
      Stream.runForEach(pages, (page) =>
        Effect.mapError(
          journal.append(record.runId, { epoch: 1, expectedSeq: (page[0]?.seq ?? 1) - 1 }, page.map(asNew)),
          (fault) => new Corrupt({ entity: "run", id: record.runId, detail: fault._tag }),
        ),
      ),
    );

const asNew = ({ seq: _seq, runId: _runId, epoch: _epoch, ...event }: StoredEvent) => event;
