/**
 * Journals that break the laws of durability, torn ends and damage.
 */
import { Corrupt } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import type { Journal } from "../../laws/runJournal/Harness.ts";
import type { RunJournalHarness } from "../../../laws/RunJournalLaws.ts";
import type { Mutant } from "../../../Mutant.ts";
import * as Change from "../../../mutants/Change.ts";
import { change } from "./change.ts";

/** Every member other than the broken one syncs first. */
const unsynced = (broken: (journal: Journal, later: Later) => Partial<Journal>) =>
  Change.unsynced<Journal, RunJournalHarness>()((journal, later, sync) => ({
    create: (record) => Effect.andThen(sync, journal.create(record)),
    claim: (runId, epoch, event) => Effect.andThen(sync, journal.claim(runId, epoch, event)),
    append: (runId, position, events) => Effect.andThen(sync, journal.append(runId, position, events)),
    read: (runId, options) => Effect.andThen(sync, journal.read(runId, options)),
    list: (options) => Effect.andThen(sync, journal.list(options)),
    ...broken(journal, later),
  }));

type Later = (write: Effect.Effect<unknown, unknown>) => Effect.Effect<void>;

export const mutants: ReadonlyArray<Mutant<RunJournalHarness>> = [
  {
    kills: "JRN-50",
    title: "an append that returns before it is synced",
    breaks: unsynced((journal, later) => ({
      append: (runId, position, events) =>
        Effect.as(later(journal.append(runId, position, events)), position.expectedSeq + events.length),
    })),
  },
  {
    kills: "JRN-51",
    title: "a creation that returns before it is synced",
    breaks: unsynced((journal, later) => ({ create: (record) => later(journal.create(record)) })),
  },
  {
    kills: "JRN-52",
    title: "a claim that returns before it is synced",
    breaks: unsynced((journal, later) => ({
      claim: (runId, epoch, event) =>
        Effect.as(later(journal.claim(runId, epoch, event)), { epoch: epoch + 1, lastSeq: 1 }),
    })),
  },
  {
    kills: "JRN-53",
    title: "a torn end that is dropped without a report",
    breaks: change((journal) => ({
      read: (runId, options) => Effect.map(journal.read(runId, options), (page) => ({ ...page, droppedTail: 0 })),
    })),
  },
  {
    kills: "JRN-54",
    title: "half a line at the end that is taken for damage",
    breaks: change((journal) => ({
      read: (runId, options) =>
        Effect.map(journal.read(runId, options), (page) =>
          page.droppedTail === 0
            ? page
            : { ...page, damage: new Corrupt({ entity: "run", id: runId, detail: "half a line" }) },
        ),
    })),
  },
  {
    kills: "JRN-55",
    title: "damage without a position",
    breaks: change((journal) => ({
      read: (runId, options) =>
        Effect.map(journal.read(runId, options), (page) =>
          page.damage === undefined
            ? page
            : { ...page, damage: new Corrupt({ entity: "run", id: runId, detail: "somewhere" }) },
        ),
    })),
  },
  {
    kills: "JRN-55",
    title: "damage that hides what stands before it",
    breaks: change((journal) => ({
      read: (runId, options) =>
        Effect.map(journal.read(runId, options), (page) =>
          page.damage === undefined ? page : { ...page, events: [], lastSeq: 0 },
        ),
    })),
  },
  {
    kills: "JRN-56",
    title: "an append that goes on behind the damage",
    breaks: change((journal) => ({
      append: (runId, position, events) =>
        Effect.catchTag(journal.append(runId, position, events), "Corrupt", () =>
          Effect.succeed(position.expectedSeq + events.length),
        ),
    })),
  },
  {
    kills: "JRN-57",
    title: "a tail that ends at the damage without a word",
    breaks: change((journal) => ({
      tail: (runId, afterSeq) => Stream.catchTag(journal.tail(runId, afterSeq), "Corrupt", () => Stream.empty),
    })),
  },
];
