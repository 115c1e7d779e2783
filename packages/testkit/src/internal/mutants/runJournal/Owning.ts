/**
 * Journals that break the laws of creating, claiming, the fence, listing and removing.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Harness from "../../laws/runJournal/Harness.ts";
import type { RunJournalHarness } from "../../../laws/RunJournalLaws.ts";
import type { Mutant } from "../../../Mutant.ts";
import { change } from "./change.ts";

export const mutants: ReadonlyArray<Mutant<RunJournalHarness>> = [
  {
    kills: "JRN-10",
    title: "a claim that raises the epoch without an event",
    breaks: change((journal) => ({
      read: (runId, options) =>
        Effect.map(journal.read(runId, options), (page) => ({
          ...page,
          events: page.events.filter((event) => event.type !== "run_owner_changed"),
        })),
    })),
  },
  {
    kills: "JRN-11",
    title: "a claim that ignores the expected epoch",
    breaks: change((journal) => ({
      claim: (runId, expectedEpoch, event) =>
        Effect.catchTag(journal.claim(runId, expectedEpoch, event), "Conflict", (conflict) =>
          journal.claim(runId, conflict.actual, event),
        ),
    })),
  },
  {
    kills: "JRN-12",
    title: "a claim that tells every claimer that it has won",
    breaks: change((journal) => ({
      claim: (runId, expectedEpoch, event) =>
        Effect.catchTag(journal.claim(runId, expectedEpoch, event), "Conflict", () =>
          Effect.succeed({ epoch: expectedEpoch + 1, lastSeq: 2 }),
        ),
    })),
  },
  {
    kills: "JRN-13",
    title: "an append that takes over the present epoch",
    breaks: change((journal) => ({
      append: (runId, position, events) =>
        Effect.catchTag(journal.append(runId, position, events), "Fenced", (fenced) =>
          journal.append(runId, { ...position, epoch: fenced.currentEpoch }, events),
        ),
    })),
  },
  {
    kills: "JRN-14",
    title: "a release after which the run cannot be found",
    breaks: change((journal) => ({ release: (runId) => Effect.ignore(journal.remove(runId)) })),
  },
  {
    kills: "JRN-15",
    title: "a second creation that begins the journal again",
    breaks: change((journal) => ({
      create: (record) =>
        Effect.catchTag(journal.create(record), "AlreadyExists", () =>
          Effect.andThen(journal.remove(record.runId), journal.create(record)),
        ),
    })),
  },
  {
    kills: "JRN-16",
    title: "a creation that takes an existing run for its own",
    breaks: change((journal) => ({
      create: (record) => Effect.catchTag(journal.create(record), "AlreadyExists", () => Effect.void),
    })),
  },
  {
    kills: "JRN-17",
    title: "an append that makes the run that it does not find",
    breaks: change((journal) => ({
      append: (runId, position, events) =>
        Effect.catchTag(journal.append(runId, position, events), "NotFound", (fault) =>
          journal.create(Harness.record()).pipe(
            Effect.mapError(() => fault),
            Effect.andThen(journal.append(runId, position, events)),
          ),
        ),
    })),
  },
  {
    kills: "JRN-18",
    title: "a list that begins with the oldest run",
    breaks: change((journal) => ({
      list: (options) => Effect.map(journal.list(options), (records) => records.toReversed()),
    })),
  },
  {
    kills: "JRN-19",
    title: "a list that cuts its page before it looks at the workspace",
    breaks: change((journal) => ({
      list: ({ workspaceId, ...options } = {}) =>
        Effect.map(journal.list(options), (records) =>
          records.filter((record) => workspaceId === undefined || record.workspaceId === workspaceId),
        ),
    })),
  },
  {
    kills: "JRN-20",
    title: "a page of a list that repeats the last record of the page before",
    breaks: change((journal) => ({
      list: (options) =>
        Effect.gen(function* () {
          const records = yield* journal.list(options);
          if (options?.before === undefined) return records;
          const all = yield* journal.list({ limit: 200 });
          return [...all.filter((record) => record.runId === options.before?.runId), ...records.slice(0, -1)];
        }),
    })),
  },
  {
    kills: "JRN-20",
    title: "a list without an upper limit of its page",
    breaks: change((journal) => ({
      list: (options) =>
        Effect.gen(function* () {
          const records = yield* journal.list(options);
          const last = records.at(-1);
          if (last === undefined || (options?.limit ?? 0) <= 200) return records;
          return [...records, ...(yield* journal.list({ ...options, before: last }))];
        }),
    })),
  },
  {
    kills: "JRN-21",
    title: "a removal that leaves the run where it is",
    breaks: change(() => ({ remove: () => Effect.void })),
  },
  {
    kills: "JRN-21",
    title: "a removal that fails when there is nothing to remove",
    breaks: change((journal) => ({
      remove: (runId) =>
        journal.read(runId).pipe(
          Effect.catchTag("NotFound", () =>
            Effect.fail(new Unavailable({ operation: "remove", kind: "other", detail: "There is no such run." })),
          ),
          Effect.andThen(journal.remove(runId)),
        ),
    })),
  },
  {
    kills: "JRN-22",
    title: "a removal that leaves the owners of the run behind",
    breaks: (harness) => {
      const removed = new Set<RunId>();
      return change((journal) => ({
        remove: (runId) => Effect.tap(journal.remove(runId), () => Effect.sync(() => removed.add(runId))),
        read: (runId, options) =>
          Effect.map(journal.read(runId, options), (page) => ({
            ...page,
            epoch: removed.has(runId) ? page.epoch + 1 : page.epoch,
          })),
      }))(harness);
    },
  },
];
