/**
 * Laws of order, atomicity, faithfulness and the expected position.
 */
import { EventId, InvocationId } from "@cahier/domain/identity/Identity";
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Expectation from "../../../Expectation.ts";
import * as Harness from "./Harness.ts";

const { asStored, at, child, event, events, law, normal, range, runId, seqs, withRun } = Harness;

export const laws = [
  law({
    id: "JRN-01",
    title: "a created run has an empty journal of epoch 1",
    *check(harness) {
      const journal = yield* withRun(harness);
      const page = yield* journal.read(runId());
      yield* Expectation.same("page", [page.events, page.lastSeq, page.epoch, page.droppedTail], [[], 0, 1, 0]);
      yield* Expectation.same("damage", page.damage, undefined);
    },
  }),
  law({
    id: "JRN-02",
    title: "sequence numbers start at 1, have no gaps, and an append gives the last of them",
    *check(harness) {
      const journal = yield* withRun(harness);
      const first = yield* journal.append(runId(), at(0), events(1, 1));
      const second = yield* journal.append(runId(), at(1), events(2, 4));
      const third = yield* journal.append(runId(), at(4), events(5, 5));
      yield* Expectation.same("results", [first, second, third], [1, 4, 5]);
      const page = yield* journal.read(runId());
      yield* Expectation.same("sequence", seqs(page.events), range(1, 5));
    },
  }),
  law({
    id: "JRN-03",
    title: "events come back exactly as given, with every field of the envelope and the payload's order of keys",
    *check(harness) {
      const journal = yield* withRun(harness);
      yield* journal.append(runId(), at(0), fullEvents);
      const again = yield* harness.open;
      for (const view of [journal, again]) {
        const page = yield* view.read(runId());
        yield* Expectation.same(
          "events",
          page.events.map(normal),
          fullEvents.map((given, index) => asStored(given, index + 1)),
        );
      }
    },
  }),
  law({
    id: "JRN-04",
    title: "text survives: NUL, control characters, U+2028, lone surrogates, characters beyond the basic plane",
    *check(harness) {
      const journal = yield* withRun(harness);
      const given = hardTexts.map((text, index) => event(index + 1, { payload: { text, [text]: [text] } }));
      yield* journal.append(runId(), at(0), given);
      const again = yield* harness.open;
      const page = yield* again.read(runId());
      yield* Expectation.same(
        "events",
        page.events.map(normal),
        given.map((one, index) => asStored(one, index + 1)),
      );
    },
  }),
  law({
    id: "JRN-05",
    title: "a stale or future expectation is a conflict that names both numbers and writes nothing",
    *check(harness) {
      const journal = yield* withRun(harness, 3);
      for (const expected of [0, 2, 4]) {
        const conflict = yield* Expectation.failsWith(
          `append after ${expected}`,
          journal.append(runId(), at(expected), events(10, 11)),
          "Conflict",
        );
        yield* Expectation.same("expected and actual", [conflict.expected, conflict.actual], [expected, 3]);
      }
      const page = yield* (yield* harness.open).read(runId());
      yield* Expectation.same(
        "journal",
        page.events.map(normal),
        events(1, 3).map((one, i) => asStored(one, i + 1)),
      );
      yield* Expectation.same("next append", yield* journal.append(runId(), at(3), events(4, 4)), 4);
    },
  }),
  law({
    id: "JRN-06",
    title: "of two concurrent appends at one position exactly one wins, with its whole batch",
    *check(harness) {
      const one = yield* withRun(harness);
      const two = yield* harness.open;
      for (const round of range(0, 9)) {
        const position = at(round * 3);
        const results = yield* Effect.all(
          [
            Effect.result(one.append(runId(), position, events(100, 102))),
            Effect.result(two.append(runId(), position, events(200, 202))),
          ],
          { concurrency: "unbounded" },
        );
        const { failed, succeeded } = Expectation.outcomes(results);
        yield* Expectation.same("winners", succeeded, [round * 3 + 3]);
        yield* Expectation.same(
          "loser",
          failed.map((fault) => fault._tag),
          ["Conflict"],
        );
        const winner = results[0]._tag === "Success" ? 100 : 200;
        const page = yield* two.read(runId(), { afterSeq: round * 3 });
        yield* Expectation.same(
          "written",
          page.events.map((stored) => stored.payload),
          range(winner, winner + 2).map((n) => ({ n })),
        );
      }
    },
  }),
  law({
    id: "JRN-07",
    title: "a reader sees all events of a batch or none of them, also while appends go on",
    *check(harness) {
      const writer = yield* withRun(harness);
      const reader = yield* harness.open;
      const writing = yield* Effect.forkChild(
        Effect.forEach(range(0, 19), (batch) =>
          Effect.andThen(Effect.yieldNow, writer.append(runId(), at(batch * 5), events(batch * 5 + 1, batch * 5 + 5))),
        ),
      );
      const seen = yield* Effect.forEach(range(1, 100), () =>
        Effect.andThen(Effect.yieldNow, reader.read(runId(), { limit: 500 })),
      );
      yield* Fiber.join(writing);
      for (const page of seen) {
        yield* Expectation.isTrue(
          page.lastSeq % 5 === 0 && page.events.length === page.lastSeq,
          `a reader saw ${page.events.length} events up to ${page.lastSeq}`,
        );
      }
    },
  }),
  law({
    id: "JRN-08",
    title: "an interrupted append has written its whole batch or nothing, and the run goes on",
    *check(harness) {
      const journal = yield* withRun(harness);
      const appending = yield* Effect.forkChild(journal.append(runId(), at(0), events(1, 5)), {
        startImmediately: true,
      });
      yield* Fiber.interrupt(appending);
      const { lastSeq } = yield* journal.read(runId());
      yield* Expectation.isTrue(lastSeq === 0 || lastSeq === 5, `${lastSeq} of 5 events are in the journal`);
      const next = yield* journal.append(runId(), at(lastSeq), events(6, 6));
      yield* Expectation.same("next append", next, lastSeq + 1);
    },
  }),
  law({
    id: "JRN-09",
    title: "each run has a numbering and a content of its own",
    *check(harness) {
      const journal = yield* withRun(harness, 2);
      yield* journal.create(Harness.record(2));
      yield* journal.append(runId(2), at(0), events(7, 7));
      yield* journal.append(runId(), at(2), events(3, 3));
      const first = yield* journal.read(runId());
      const second = yield* journal.read(runId(2));
      yield* Expectation.same(
        "first run",
        first.events.map(normal),
        events(1, 3).map((one, i) => asStored(one, i + 1)),
      );
      yield* Expectation.same("second run", second.events.map(normal), [asStored(event(7), 1, 1, runId(2))]);
    },
  }),
];

const fullEvents: ReadonlyArray<NewEvent> = [
  event(1, {
    level: "warn",
    type: "an_unknown_type",
    v: 7,
    eventScope: { invocationId: Harness.root, relatedInvocationIds: [child, InvocationId.make("inv_2")] },
    causality: { parentEventId: EventId.make("evt_parent"), requestId: "request 1" },
    payload: { zebra: 1, alpha: { y: null, x: [true, false, 1.5, -0.25, 1e21, ""] }, "": {}, middle: [] },
  }),
  event(2, { level: "debug", causality: { requestId: "only a request" }, payload: "a string" }),
  event(3, { level: "error", causality: { parentEventId: EventId.make("evt_p") }, payload: null }),
  event(4, { payload: [] }),
  event(5, { payload: 0 }),
];

const hardTexts: ReadonlyArray<string> = [
  "a\u0000b",
  "\u0001\u001f\u007f\u0085",
  "line\nbreak\r\n\ttab",
  "\u2028 and \u2029",
  "\ud800",
  "\udc00 alone, and reversed \udc00\ud800",
  "\u{1f600}\u{10ffff}",
  "e\u0301 \u00e9 \ufeff \uffff",
  'quote " backslash \\ slash /',
  "x".repeat(70_000),
];
