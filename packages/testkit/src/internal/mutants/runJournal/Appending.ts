/**
 * Journals that break the laws of appending.
 */
import { EventId, InvocationId, type RunId } from "@cahier/domain/identity/Identity";
import type { NewEvent, StoredEvent } from "@cahier/domain/run/EventEnvelope";
import * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";
import type { RunJournalHarness } from "../../../laws/RunJournalLaws.ts";
import type { Mutant } from "../../../Mutant.ts";
import { change, mapEvents, oneByOne } from "./change.ts";

export const mutants: ReadonlyArray<Mutant<RunJournalHarness>> = [
  {
    kills: "JRN-01",
    title: "a creation that appends an event of its own",
    breaks: change((journal) => ({
      create: (record) =>
        Effect.tap(journal.create(record), () =>
          Effect.ignore(journal.append(record.runId, { epoch: 1, expectedSeq: 0 }, [unasked])),
        ),
    })),
  },
  {
    kills: "JRN-02",
    title: "an append that drops the second event of its batch",
    breaks: change((journal) => ({
      append: (runId, position, events) =>
        journal.append(
          runId,
          position,
          events.filter((_, index) => index !== 1),
        ),
    })),
  },
  {
    kills: "JRN-03",
    title: "a payload whose keys are sorted",
    breaks: mapEvents((event) => ({ ...event, payload: withSortedKeys(event.payload) })),
  },
  {
    kills: "JRN-03",
    title: "an envelope that forgets why its event exists",
    breaks: mapEvents((event) => withoutCausality(event)),
  },
  {
    kills: "JRN-04",
    title: "text that went through UTF-8, which has no lone surrogates",
    breaks: mapEvents((event) => ({ ...event, payload: mapText(event.payload, (text) => text.toWellFormed()) })),
  },
  {
    kills: "JRN-04",
    title: "text that ends at NUL",
    breaks: mapEvents((event) => ({
      ...event,
      payload: mapText(event.payload, (text) => text.split("\u0000")[0] ?? ""),
    })),
  },
  {
    kills: "JRN-05",
    title: "an append that ignores the expected sequence",
    breaks: change((journal) => ({
      append: (runId, position, events) =>
        Effect.flatMap(journal.read(runId), (page) =>
          journal.append(runId, { ...position, expectedSeq: page.lastSeq }, events),
        ),
    })),
  },
  {
    kills: "JRN-06",
    title: "an append that tries again at the new position after a conflict",
    breaks: change((journal) => ({
      append: (runId, position, events) =>
        Effect.catchTag(journal.append(runId, position, events), "Conflict", (conflict) =>
          journal.append(runId, { ...position, expectedSeq: conflict.actual }, events),
        ),
    })),
  },
  {
    kills: "JRN-07",
    title: "an append that writes event by event",
    breaks: change((journal) => ({ append: oneByOne(journal) })),
  },
  {
    kills: "JRN-08",
    title: "an append that can be interrupted between its events",
    breaks: change((journal) => ({ append: oneByOne(journal) })),
  },
  {
    kills: "JRN-09",
    title: "one journal for all runs",
    breaks: (harness) => {
      const created: Array<RunId> = [];
      const shared = (runId: RunId) => created[0] ?? runId;
      return change((journal) => ({
        create: (record) => {
          created.push(record.runId);
          return created.length === 1 ? journal.create(record) : Effect.void;
        },
        append: (runId, position, events) =>
          Effect.flatMap(journal.read(shared(runId)), (page) =>
            journal.append(shared(runId), { ...position, expectedSeq: page.lastSeq }, events),
          ),
        read: (runId, options) => journal.read(shared(runId), options),
      }))(harness);
    },
  },
];

const withoutCausality = (event: StoredEvent): StoredEvent => {
  const { causality, ...others } = event;
  return causality === undefined ? event : others;
};

const unasked: NewEvent = {
  id: EventId.make("evt_unasked"),
  timestamp: "2026-01-02T00:00:00.000Z",
  level: "info",
  type: "unasked",
  v: 1,
  eventScope: { invocationId: InvocationId.make("inv_root") },
  payload: {},
};

const mapText = (value: Schema.Json, map: (text: string) => string): Schema.Json => {
  if (typeof value === "string") return map(value);
  if (isArray(value)) return value.map((item) => mapText(item, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [map(key), mapText(item, map)]));
};

const withSortedKeys = (value: Schema.Json): Schema.Json => {
  if (typeof value !== "object" || value === null || isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
};

const isArray = (value: Schema.Json): value is ReadonlyArray<Schema.Json> => Array.isArray(value);
