/**
 * Journals that break the laws of pages and of the tail.
 */
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import type { RunJournalHarness } from "../../../laws/RunJournalLaws.ts";
import type { Mutant } from "../../../Mutant.ts";
import { change } from "./change.ts";

export const mutants: ReadonlyArray<Mutant<RunJournalHarness>> = [
  {
    kills: "JRN-30",
    title: "a page forward that begins with the event that it should follow",
    breaks: change((journal) => ({
      read: (runId, options = {}) =>
        journal.read(runId, options.afterSeq === undefined ? options : { ...options, afterSeq: options.afterSeq - 1 }),
    })),
  },
  {
    kills: "JRN-31",
    title: "a page backward that begins at the start of the journal",
    breaks: change((journal) => ({
      read: (runId, { beforeSeq, ...options } = {}) =>
        Effect.map(journal.read(runId, options), (page) => ({
          ...page,
          events: page.events.filter((event) => beforeSeq === undefined || event.seq < beforeSeq),
        })),
    })),
  },
  {
    kills: "JRN-32",
    title: "a page of 50 events where nothing is asked",
    breaks: change((journal) => ({ read: (runId, options) => journal.read(runId, { limit: 50, ...options }) })),
  },
  {
    kills: "JRN-32",
    title: "a limit of 0 that gives no event",
    breaks: change((journal) => ({
      read: (runId, options) =>
        Effect.map(journal.read(runId, options), (page) => (options?.limit === 0 ? { ...page, events: [] } : page)),
    })),
  },
  {
    kills: "JRN-33",
    title: "an invocation filter that looks only at the page",
    breaks: change((journal) => ({
      read: (runId, { invocationId, ...options } = {}) =>
        Effect.map(journal.read(runId, options), (page) => ({
          ...page,
          events: page.events.filter(
            (event) => invocationId === undefined || event.eventScope.invocationId === invocationId,
          ),
        })),
    })),
  },
  {
    kills: "JRN-33",
    title: "an invocation filter that leaves out what only concerns the invocation",
    breaks: change((journal) => ({
      read: (runId, options) =>
        Effect.map(journal.read(runId, options), (page) => ({
          ...page,
          events: page.events.filter(
            (event) => options?.invocationId === undefined || event.eventScope.invocationId === options.invocationId,
          ),
        })),
    })),
  },
  {
    kills: "JRN-34",
    title: "a page that takes its own last event for the journal's",
    breaks: change((journal) => ({
      read: (runId, options) =>
        Effect.map(journal.read(runId, options), (page) => ({ ...page, lastSeq: page.events.at(-1)?.seq ?? 0 })),
    })),
  },
  {
    kills: "JRN-35",
    title: "a tail that gives an event twice",
    breaks: change((journal) => ({
      tail: (runId, afterSeq) =>
        Stream.flatMap(journal.tail(runId, afterSeq), (event) =>
          Stream.fromArray(event.seq === 600 ? [event, event] : [event]),
        ),
    })),
  },
  {
    kills: "JRN-36",
    title: "a tail that begins with the event that it should follow",
    breaks: change((journal) => ({ tail: (runId, afterSeq) => journal.tail(runId, afterSeq - 1) })),
  },
  {
    kills: "JRN-37",
    title: "a tail that loses what is appended between its page and its subscription",
    breaks: change((journal) => ({
      tail: (runId, afterSeq) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const page = yield* journal.read(runId, { afterSeq, limit: 500 });
            yield* Effect.yieldNow;
            yield* Effect.yieldNow;
            const { lastSeq } = yield* journal.read(runId, { limit: 1 });
            return Stream.concat(Stream.fromArray(page.events), journal.tail(runId, lastSeq));
          }),
        ),
    })),
  },
  {
    kills: "JRN-38",
    title: "a tail that sees the appends of its own process alone",
    breaks: change((journal) => {
      const own = new Set<number>();
      return {
        append: (runId, position, events) =>
          Effect.tap(journal.append(runId, position, events), (lastSeq) =>
            Effect.sync(() => events.forEach((_, index) => own.add(lastSeq - index))),
          ),
        tail: (runId, afterSeq) =>
          Stream.unwrap(
            Effect.map(journal.read(runId, { limit: 1 }), ({ lastSeq }) =>
              Stream.filter(journal.tail(runId, afterSeq), (event) => event.seq <= lastSeq || own.has(event.seq)),
            ),
          ),
      };
    }),
  },
  {
    kills: "JRN-39",
    title: "a tail of an unknown run that ends without a word",
    breaks: change((journal) => ({
      tail: (runId, afterSeq) => Stream.catchTag(journal.tail(runId, afterSeq), "NotFound", () => Stream.empty),
    })),
  },
];
