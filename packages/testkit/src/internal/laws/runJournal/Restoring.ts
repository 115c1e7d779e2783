/**
 * Laws of restoring a run from the events of another storage.
 */
import { EventId, InvocationId } from "@cahier/domain/identity/Identity";
import type { NewEvent, StoredEvent } from "@cahier/domain/run/EventEnvelope";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Stream from "effect/Stream";
import * as Expectation from "../../../Expectation.ts";
import * as Harness from "./Harness.ts";

const { at, child, event, events, law, normal, ownerChanged, range, record, root, runId, seqs, withView } = Harness;

export const laws = [
  law({
    id: "JRN-40",
    title:
      "restored events come back exactly as given, with their numbers, ids, times and epochs, also where epochs skip",
    *check(harness) {
      const given = stored(pastEvents, [1, 1, 2, 5, 5, 6]);
      const journal = yield* harness.open;
      yield* journal.create(record(), pagesOf(given, [1, 0, 3, 2]));
      for (const view of [journal, yield* harness.open]) {
        const page = yield* view.read(runId());
        yield* Expectation.same("events", page.events.map(normal), given.map(normal));
        yield* Expectation.same("last, epoch, dropped", [page.lastSeq, page.epoch, page.droppedTail], [6, 6, 0]);
        yield* Expectation.same("damage", page.damage, undefined);
      }
    },
  }),
  law({
    id: "JRN-41",
    title: "a restored run is claimed at the epoch of its last event and goes on; the epochs before it are fenced",
    *check(harness) {
      yield* restoreIn(harness, stored(events(1, 3), [1, 3, 4]));
      const owner = yield* harness.open;
      const conflict = yield* Expectation.failsWith("claim", owner.claim(runId(), 1, ownerChanged(9)), "Conflict");
      yield* Expectation.same("expected and actual", [conflict.expected, conflict.actual], [1, 4]);
      const claimed = yield* owner.claim(runId(), 4, ownerChanged(4));
      yield* Expectation.same("claim", [claimed.epoch, claimed.lastSeq], [5, 4]);
      yield* Expectation.same("append", yield* owner.append(runId(), at(4, 5), events(5, 6)), 6);
      yield* Expectation.failsWith("append of an old owner", owner.append(runId(), at(6, 4), events(7, 7)), "Fenced");
      const page = yield* (yield* harness.open).read(runId());
      yield* Expectation.same("sequence", seqs(page.events), range(1, 6));
      yield* Expectation.same(
        "epochs",
        page.events.map((one) => one.epoch),
        [1, 3, 4, 5, 5, 5],
      );
    },
  }),
  law({
    id: "JRN-42",
    title: "a run that is there is not restored over: it already exists and does not change",
    *check(harness) {
      const journal = yield* Harness.withRun(harness, 2);
      yield* restoreIn(harness, stored(events(1, 3), [1, 1, 1], 2), 2);
      for (const [n, length] of [
        [1, 2],
        [2, 3],
      ] as const) {
        const before = (yield* journal.read(runId(n))).events.map(normal);
        yield* Expectation.failsWith(
          "restore",
          journal.create(record(n, Harness.otherWorkspace), pagesOf(stored(events(71, 75), [1, 1, 1, 1, 1], n))),
          "AlreadyExists",
        );
        const page = yield* (yield* harness.open).read(runId(n));
        yield* Expectation.same("journal", page.events.map(normal), before);
        yield* Expectation.same("length", page.lastSeq, length);
      }
      const records = yield* journal.list();
      yield* Expectation.same(
        "workspaces",
        records.map((one) => one.workspaceId),
        [Harness.workspace, Harness.workspace],
      );
    },
  }),
  law({
    id: "JRN-43",
    title: "a restore whose pages fail fails as they do and leaves no run, and can be made again",
    *check(harness) {
      const journal = yield* harness.open;
      const given = stored(events(1, 4), [1, 1, 2, 2]);
      const failing = Stream.concat(pagesOf(given.slice(0, 3)), Stream.fail(new SourceLost()));
      yield* Expectation.failsWith("restore", journal.create(record(), failing), "SourceLost");
      yield* isAbsent(harness);
      yield* journal.create(record(), pagesOf(given));
      yield* isThere(harness, given);
    },
  }),
  law({
    id: "JRN-44",
    title: "an interrupted restore leaves no run and can be made again",
    *check(harness) {
      const journal = yield* harness.open;
      const given = stored(events(1, 4), [1, 1, 1, 1]);
      const { pages, reached } = yield* heldAfter(given.slice(0, 2), given.slice(2));
      const restoring = yield* Effect.forkChild(journal.create(record(), pages));
      yield* Expectation.within("the first page is taken", Deferred.await(reached));
      yield* Fiber.interrupt(restoring);
      yield* isAbsent(harness);
      yield* (yield* harness.open).create(record(), pagesOf(given));
      yield* isThere(harness, given);
    },
  }),
  law({
    id: "JRN-45",
    title: "until a restore returns the run is not there; of two restores of one run exactly one wins",
    *check(harness) {
      const journal = yield* harness.open;
      const given = stored(events(1, 4), [1, 1, 1, 1]);
      const { goOn, pages, reached } = yield* heldAfter(given.slice(0, 2), given.slice(2));
      const restoring = yield* Effect.forkChild(journal.create(record(), pages));
      yield* Expectation.within("the first page is taken", Deferred.await(reached));
      yield* isAbsent(harness);
      yield* Deferred.succeed(goOn, undefined);
      yield* Fiber.join(restoring);
      yield* isThere(harness, given);

      const others = [stored(events(11, 13), [1, 1, 1], 2), stored(events(21, 23), [1, 1, 1], 2)];
      const results = yield* Effect.forEach(
        others,
        (other) =>
          Effect.flatMap(harness.open, (view) => Effect.result(view.create(record(2), pagesOf(other, [1, 2])))),
        { concurrency: "unbounded" },
      );
      const { failed, succeeded } = Expectation.outcomes(results);
      yield* Expectation.same("number of winners", succeeded.length, 1);
      yield* Expectation.same(
        "loser",
        failed.map((fault) => fault._tag),
        ["AlreadyExists"],
      );
      const winner = results.findIndex((result) => result._tag === "Success");
      yield* isThere(harness, others[winner] ?? [], 2);
    },
  }),
  law({
    id: "JRN-46",
    title: "pages with a gap, a repetition or an epoch that falls are corrupt and leave no run",
    *check(harness) {
      const journal = yield* harness.open;
      const given = stored(events(1, 5), [1, 1, 2, 2, 3]);
      const numbered = (...numbers: ReadonlyArray<number>) =>
        numbers.flatMap((seq) => given.filter((one) => one.seq === seq));
      const wrong: ReadonlyArray<readonly [string, ReadonlyArray<StoredEvent>]> = [
        ["a gap", numbered(1, 2, 4, 5)],
        ["a gap at a page's end", numbered(1, 2, 3, 5)],
        ["a first event that is not the first", numbered(2, 3, 4)],
        ["a repetition", numbered(1, 2, 3, 3, 4)],
        ["events out of order", numbered(1, 2, 4, 3, 5)],
        ["an epoch that falls", stored(events(1, 5), [1, 2, 3, 2, 3])],
        ["an epoch that falls within a page", stored(events(1, 5), [2, 1, 1, 1, 1])],
      ];
      for (const [what, pages] of wrong) {
        yield* Expectation.failsWith(what, journal.create(record(), pagesOf(pages, [3, 2])), "Corrupt");
        yield* isAbsent(harness);
      }
      yield* journal.create(record(), pagesOf(given, [3, 2]));
      yield* isThere(harness, given);
    },
  }),
  law({
    id: "JRN-47",
    title: "a restored run is listed at its own age and workspace, paged and tailed as any other, and can be removed",
    *check(harness) {
      const journal = yield* harness.open;
      for (const n of [1, 3]) yield* journal.create(record(n));
      const given = stored(
        range(1, 700).map((n) => event(n, n % 7 === 0 ? { eventScope: { invocationId: child } } : {})),
        range(1, 700).map((n) => (n < 400 ? 1 : 4)),
        2,
      );
      yield* journal.create(record(2, Harness.otherWorkspace), pagesOf(given, [500, 200]));
      const view = yield* harness.open;
      yield* Expectation.same("list", yield* view.list(), [record(3), record(2, Harness.otherWorkspace), record(1)]);
      const ofChild = yield* view.read(runId(2), { afterSeq: 350, invocationId: child, limit: 3 });
      yield* Expectation.same("page of an invocation", seqs(ofChild.events), [357, 364, 371]);
      const backward = yield* view.read(runId(2), { beforeSeq: 402, limit: 4 });
      yield* Expectation.same("page backward", backward.events.map(normal), given.slice(397, 401).map(normal));
      const tailed = yield* Expectation.within("tail", Stream.runCollect(Stream.take(view.tail(runId(2), 600), 100)));
      yield* Expectation.same("tail", tailed.map(normal), given.slice(600).map(normal));
      yield* view.remove(runId(2));
      yield* isAbsent(harness, 2);
      yield* view.create(record(2), pagesOf(given.slice(0, 5)));
      yield* isThere(harness, given.slice(0, 5), 2);
    },
  }),
  law({
    id: "JRN-48",
    title: "a run without events is restored as one: an empty journal of epoch 1, which takes its first append",
    *check(harness) {
      yield* restoreIn(harness, []);
      const journal = yield* harness.open;
      const page = yield* journal.read(runId());
      yield* Expectation.same("page", [page.events, page.lastSeq, page.epoch], [[], 0, 1]);
      yield* Expectation.same("list", yield* journal.list(), [record()]);
      yield* Expectation.same("append", yield* journal.append(runId(), at(0), events(1, 2)), 2);
    },
  }),
  law({
    id: "JRN-49",
    title:
      "a restore that returned is there after a loss of power; one that had not leaves nothing and can be made again",
    needs: ["powerLoss"],
    *check(harness) {
      const given = stored(events(1, 6), [1, 1, 2, 2, 2, 4]);
      const { pages, reached } = yield* heldAfter(given.slice(0, 4), given.slice(4));
      yield* withView(harness, (journal) =>
        Effect.gen(function* () {
          yield* Effect.forkChild(journal.create(record(), pages));
          yield* Expectation.within("the first page is taken", Deferred.await(reached));
          yield* harness.powerLoss;
        }),
      );
      yield* isAbsent(harness);
      yield* restoreIn(harness, given);
      yield* harness.powerLoss;
      yield* isThere(harness, given);
      yield* Expectation.same("claim", yield* (yield* harness.open).claim(runId(), 4, ownerChanged(7)), {
        epoch: 5,
        lastSeq: 7,
      });
    },
  }),
];

/** What ends a stream of pages too early. */
class SourceLost {
  readonly _tag = "SourceLost";
}

/** Events with their numbers from 1, each under the epoch at its place. */
const stored = (given: ReadonlyArray<NewEvent>, epochs: ReadonlyArray<number>, n = 1): ReadonlyArray<StoredEvent> =>
  given.map((one, index) => ({ ...one, seq: index + 1, runId: runId(n), epoch: epochs[index] ?? 1 }));

/** The events in pages of these sizes, then in one page what is left. */
const pagesOf = (
  given: ReadonlyArray<StoredEvent>,
  sizes: ReadonlyArray<number> = [],
): Stream.Stream<ReadonlyArray<StoredEvent>> => {
  const ends = sizes.map((_, index) => sizes.slice(0, index + 1).reduce((sum, size) => sum + size, 0));
  const pages = [...ends, given.length].map((end, index) => given.slice(ends[index - 1] ?? 0, end));
  return Stream.fromIterable(pages.filter((page, index) => index < sizes.length || page.length > 0));
};

/** Two pages; the second comes only after `goOn`. `reached` tells that the first was taken and the second asked for. */
const heldAfter = Effect.fnUntraced(function* (first: ReadonlyArray<StoredEvent>, second: ReadonlyArray<StoredEvent>) {
  const reached = yield* Deferred.make<void>();
  const goOn = yield* Deferred.make<void>();
  const held = Deferred.succeed(reached, undefined).pipe(Effect.andThen(Deferred.await(goOn)), Effect.as(second));
  return { reached, goOn, pages: Stream.concat(pagesOf(first), Stream.fromEffect(held)) };
});

const restoreIn = (harness: Harness.Harness, given: ReadonlyArray<StoredEvent>, n = 1) =>
  withView(harness, (journal) => journal.create(record(n), pagesOf(given, [2])));

const isAbsent = Effect.fnUntraced(function* (harness: Harness.Harness, n = 1) {
  const journal = yield* harness.open;
  yield* Expectation.failsWith("read", journal.read(runId(n)), "NotFound");
  const records = yield* journal.list();
  yield* Expectation.isTrue(!records.some((one) => one.runId === runId(n)), "the run is listed");
});

const isThere = Effect.fnUntraced(function* (harness: Harness.Harness, given: ReadonlyArray<StoredEvent>, n = 1) {
  const page = yield* (yield* harness.open).read(runId(n), { limit: 500 });
  yield* Expectation.same("events", page.events.map(normal), given.map(normal));
  yield* Expectation.same("last and epoch", [page.lastSeq, page.epoch], [given.length, given.at(-1)?.epoch ?? 1]);
});

const pastEvents: ReadonlyArray<NewEvent> = [
  event(1, {
    level: "warn",
    type: "an_unknown_type",
    v: 7,
    eventScope: { invocationId: root, relatedInvocationIds: [child, InvocationId.make("inv_2")] },
    causality: { parentEventId: EventId.make("evt_parent"), requestId: "request 1" },
    payload: { zebra: 1, alpha: { y: null, x: [true, -0.25, 1e21, ""] }, "": {} },
  }),
  event(2, { timestamp: "1999-12-31T23:59:59.999Z", payload: "\u0000 \u2028 \ud800 \u{1f600}" }),
  ownerChanged(3),
  ownerChanged(4),
  event(5, { level: "error", causality: { requestId: "only a request" }, payload: "x".repeat(70_000) }),
  event(6, { id: EventId.make("evt_of_another_storage"), payload: null }),
];
