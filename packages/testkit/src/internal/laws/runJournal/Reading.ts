/**
 * Laws of pages and of the tail.
 */
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Stream from "effect/Stream";
import * as Expectation from "../../../Expectation.ts";
import * as Harness from "./Harness.ts";

const { at, child, event, events, law, range, root, runId, seqs, withRun } = Harness;

export const laws = [
  law({
    id: "JRN-30",
    title: "a page forward holds the first events after a sequence number, ascending",
    *check(harness) {
      const journal = yield* withRun(harness, 9);
      const pages = yield* Effect.forEach([0, 4, 8, 9, 100], (afterSeq) =>
        journal.read(runId(), { afterSeq, limit: 4 }),
      );
      yield* Expectation.same(
        "pages",
        pages.map((page) => seqs(page.events)),
        [range(1, 4), range(5, 8), [9], [], []],
      );
      yield* Expectation.same("from the start", seqs((yield* journal.read(runId(), { limit: 2 })).events), [1, 2]);
    },
  }),
  law({
    id: "JRN-31",
    title: "a page backward holds the last events before a sequence number, ascending",
    *check(harness) {
      const journal = yield* withRun(harness, 9);
      const pages = yield* Effect.forEach([100, 10, 6, 2, 1], (beforeSeq) =>
        journal.read(runId(), { beforeSeq, limit: 4 }),
      );
      yield* Expectation.same(
        "pages",
        pages.map((page) => seqs(page.events)),
        [range(6, 9), range(6, 9), range(2, 5), [1], []],
      );
    },
  }),
  law({
    id: "JRN-32",
    title: "a page has 100 events, or 1 to 500 as asked",
    *check(harness) {
      const journal = yield* withRun(harness, 510);
      const sizes = yield* Effect.forEach([undefined, 0, -5, 1, 500, 501, 100_000], (limit) =>
        Effect.map(journal.read(runId(), limit === undefined ? {} : { limit }), (page) => page.events.length),
      );
      yield* Expectation.same("sizes", sizes, [100, 1, 1, 1, 500, 500, 500]);
      const backward = yield* journal.read(runId(), { beforeSeq: 511 });
      yield* Expectation.same("default backward", seqs(backward.events), range(411, 510));
    },
  }),
  law({
    id: "JRN-33",
    title: "the invocation filter keeps what belongs to an invocation or concerns it, before the page is cut",
    *check(harness) {
      const journal = yield* withRun(harness);
      yield* journal.append(
        runId(),
        at(0),
        range(1, 30).map((n) => event(n, { eventScope: scopeOf(n) })),
      );
      const forward = yield* journal.read(runId(), { invocationId: child, limit: 4 });
      yield* Expectation.same("forward", seqs(forward.events), [5, 9, 10, 15]);
      const further = yield* journal.read(runId(), { invocationId: child, limit: 4, afterSeq: 15 });
      yield* Expectation.same("further", seqs(further.events), [18, 20, 25, 27]);
      const backward = yield* journal.read(runId(), { invocationId: child, limit: 3, beforeSeq: 20 });
      yield* Expectation.same("backward", seqs(backward.events), [10, 15, 18]);
      const primary = yield* journal.read(runId(), { invocationId: root, limit: 3 });
      yield* Expectation.same("primary", seqs(primary.events), [1, 2, 3]);
    },
  }),
  law({
    id: "JRN-34",
    title: "every page tells the last sequence number and the epoch of the whole journal",
    *check(harness) {
      const journal = yield* withRun(harness, 9);
      yield* journal.claim(runId(), 1, Harness.ownerChanged(10));
      const pages = yield* Effect.forEach(
        [{ limit: 1 }, { afterSeq: 10 }, { beforeSeq: 3 }, { invocationId: child }],
        (options) => journal.read(runId(), options),
      );
      yield* Expectation.same(
        "pages",
        pages.map((page) => [page.lastSeq, page.epoch]),
        [
          [10, 2],
          [10, 2],
          [10, 2],
          [10, 2],
        ],
      );
    },
  }),
  law({
    id: "JRN-35",
    title: "a tail gives what is stored and then what is appended, each event once and in order",
    *check(harness) {
      const journal = yield* withRun(harness, 620);
      const tail = yield* follow(journal, 0, 623);
      yield* journal.append(runId(), at(620), events(621, 622));
      yield* journal.append(runId(), at(622), events(623, 623));
      const seen = yield* Fiber.join(tail);
      yield* Expectation.same("sequence", seqs(seen), range(1, 623));
      yield* Expectation.same("last", Harness.normal(seen[622] ?? neverSeen), Harness.asStored(event(623), 623));
    },
  }),
  law({
    id: "JRN-36",
    title: "a tail gives the events after a sequence number, and after the end it waits for the next",
    *check(harness) {
      const journal = yield* withRun(harness, 5);
      const fromMiddle = yield* follow(journal, 3, 3);
      const fromEnd = yield* follow(journal, 5, 1);
      yield* journal.append(runId(), at(5), events(6, 6));
      yield* Expectation.same("from the middle", seqs(yield* Fiber.join(fromMiddle)), [4, 5, 6]);
      yield* Expectation.same("from the end", seqs(yield* Fiber.join(fromEnd)), [6]);
    },
  }),
  law({
    id: "JRN-37",
    title: "a tail that starts while appends go on has no gap and no repetition between page and tail",
    *check(harness) {
      const journal = yield* withRun(harness, 30);
      const writing = yield* Effect.forkChild(
        Effect.forEach(range(0, 39), (batch) =>
          Effect.andThen(
            Effect.yieldNow,
            journal.append(runId(), at(30 + batch * 3), events(31 + batch * 3, 33 + batch * 3)),
          ),
        ),
        { startImmediately: true },
      );
      const tails = yield* Effect.forEach(range(0, 9), (n) =>
        Effect.andThen(Effect.yieldNow, follow(journal, n * 3, 150 - n * 3)),
      );
      yield* Fiber.join(writing);
      for (const [n, tail] of tails.entries()) {
        yield* Expectation.same(`tail ${n}`, seqs(yield* Fiber.join(tail)), range(n * 3 + 1, 150));
      }
    },
  }),
  law({
    id: "JRN-38",
    title: "a tail also gives what another process appends",
    *check(harness) {
      yield* withRun(harness, 2);
      const [reader, writer] = [yield* harness.open, yield* harness.open];
      const tail = yield* follow(reader, 0, 6);
      yield* writer.append(runId(), at(2), events(3, 4));
      yield* writer.claim(runId(), 1, Harness.ownerChanged(5));
      yield* writer.append(runId(), at(5, 2), events(6, 6));
      yield* Expectation.same("sequence", seqs(yield* Fiber.join(tail)), range(1, 6));
    },
  }),
  law({
    id: "JRN-39",
    title: "the tail of an unknown run fails as not found",
    *check(harness) {
      const journal = yield* harness.open;
      yield* Expectation.within(
        "tail of an unknown run",
        Expectation.failsWith("tail", Stream.runDrain(journal.tail(runId(), 0)), "NotFound"),
      );
    },
  }),
];

const neverSeen = { ...event(0), seq: 0, runId: runId(), epoch: 0 };

const scopeOf = (n: number) => {
  if (n % 5 === 0) return { invocationId: child };
  return n % 9 === 0 ? { invocationId: root, relatedInvocationIds: [child] } : { invocationId: root };
};

/** Collects the first `count` events of a tail in a fiber of its own. */
const follow = (journal: Harness.Journal, afterSeq: number, count: number) =>
  Effect.forkChild(
    Expectation.within(
      `${count} events after ${afterSeq}`,
      journal.tail(runId(), afterSeq).pipe(Stream.take(count), Stream.runCollect),
    ),
    { startImmediately: true },
  );
