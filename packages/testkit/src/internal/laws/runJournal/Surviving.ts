/**
 * Laws of durability, torn ends and damage.
 */
import * as Effect from "effect/Effect";
import * as Ref from "effect/Ref";
import * as Stream from "effect/Stream";
import * as Expectation from "../../../Expectation.ts";
import * as Harness from "./Harness.ts";

const { asStored, at, event, events, law, normal, ownerChanged, range, record, runId, seqs, withView } = Harness;

export const laws = [
  law({
    id: "JRN-50",
    title: "what an append returned for is there after a loss of power",
    needs: ["powerLoss"],
    *check(harness) {
      yield* withView(harness, (journal) => journal.create(record()));
      for (const batch of range(0, 2)) {
        yield* withView(harness, (journal) =>
          journal.append(runId(), at(batch * 2), events(batch * 2 + 1, batch * 2 + 2)),
        );
        yield* harness.powerLoss;
      }
      yield* withView(harness, (journal) =>
        journal
          .append(runId(), at(6), events(7, 7))
          .pipe(Effect.andThen(journal.append(runId(), at(7), events(8, 8))), Effect.andThen(harness.powerLoss)),
      );
      const page = yield* (yield* harness.open).read(runId());
      yield* Expectation.same(
        "events",
        page.events.map(normal),
        events(1, 8).map((one, i) => asStored(one, i + 1)),
      );
    },
  }),
  law({
    id: "JRN-51",
    title: "a created run is there after a loss of power, and can be written",
    needs: ["powerLoss"],
    *check(harness) {
      yield* withView(harness, (journal) => journal.create(record()));
      yield* harness.powerLoss;
      const journal = yield* harness.open;
      yield* Expectation.same(
        "list",
        (yield* journal.list()).map((one) => one.runId),
        [runId()],
      );
      yield* Expectation.same("append", yield* journal.append(runId(), at(0), events(1, 1)), 1);
    },
  }),
  law({
    id: "JRN-52",
    title: "a claim holds after a loss of power: the old epoch stays fenced",
    needs: ["powerLoss"],
    *check(harness) {
      yield* withView(harness, (journal) =>
        journal.create(record()).pipe(Effect.andThen(journal.claim(runId(), 1, ownerChanged(1)))),
      );
      yield* harness.powerLoss;
      const journal = yield* harness.open;
      yield* Expectation.same("epoch", (yield* journal.read(runId())).epoch, 2);
      yield* Expectation.failsWith(
        "append of the old owner",
        journal.append(runId(), at(1, 1), events(2, 2)),
        "Fenced",
      );
    },
  }),
  law({
    id: "JRN-53",
    title: "a torn last batch is dropped whole and reported, and the next append takes its place",
    needs: ["tear"],
    *check(harness) {
      yield* prepare(harness, [2, 3]);
      yield* harness.tear(runId(), { cutBytes: 5 });
      const torn = yield* withView(harness, (journal) => journal.read(runId()));
      yield* Expectation.same("events", seqs(torn.events), [1, 2]);
      yield* Expectation.same(
        "last, dropped, damage",
        [torn.lastSeq, torn.droppedTail, torn.damage],
        [2, 3, undefined],
      );
      yield* appendsAgain(harness, 2);
    },
  }),
  law({
    id: "JRN-54",
    title: "bytes after the last whole line that no append wrote are dropped and reported, and nothing is lost",
    needs: ["tear"],
    *check(harness) {
      yield* prepare(harness, [2, 3]);
      yield* harness.tear(runId(), { appendBytes: new TextEncoder().encode('{"seq":6,"id":"evt_') });
      const torn = yield* withView(harness, (journal) => journal.read(runId()));
      yield* Expectation.same("events", seqs(torn.events), range(1, 5));
      yield* Expectation.same(
        "last, dropped, damage",
        [torn.lastSeq, torn.droppedTail, torn.damage],
        [5, 1, undefined],
      );
      yield* appendsAgain(harness, 5);
    },
  }),
  law({
    id: "JRN-55",
    title: "a damaged earlier event is named with its position, and everything before it stays readable",
    needs: ["damage"],
    *check(harness) {
      yield* prepare(harness, [1, 1, 1, 1]);
      yield* harness.damage(runId(), 3);
      const journal = yield* harness.open;
      for (const options of [{}, { beforeSeq: 100 }, { afterSeq: 0, limit: 2 }]) {
        const page = yield* journal.read(runId(), options);
        yield* Expectation.same(
          "events",
          page.events.map(normal),
          events(1, 2).map((one, i) => asStored(one, i + 1)),
        );
        yield* Expectation.same(
          "last, damaged, dropped",
          [page.lastSeq, page.damage?.seq, page.droppedTail],
          [2, 3, 0],
        );
      }
    },
  }),
  law({
    id: "JRN-56",
    title: "a damaged journal takes no append and no claim, and stays as it is",
    needs: ["damage"],
    *check(harness) {
      yield* prepare(harness, [1, 1, 1, 1]);
      yield* harness.damage(runId(), 2);
      for (const expected of [1, 4]) {
        yield* withView(harness, (journal) =>
          Expectation.failsWith("append", journal.append(runId(), at(expected), events(9, 9)), "Corrupt"),
        );
      }
      yield* withView(harness, (journal) =>
        Expectation.failsWith("claim", journal.claim(runId(), 1, ownerChanged(9)), "Corrupt"),
      );
      const page = yield* withView(harness, (journal) => journal.read(runId()));
      yield* Expectation.same("events and epoch", [seqs(page.events), page.epoch, page.damage?.seq], [[1], 1, 2]);
    },
  }),
  law({
    id: "JRN-57",
    title: "a tail gives what stands before the damage and then fails with its position",
    needs: ["damage"],
    *check(harness) {
      yield* prepare(harness, [1, 1, 1, 1]);
      yield* harness.damage(runId(), 3);
      const journal = yield* harness.open;
      const seen = yield* Ref.make<ReadonlyArray<number>>([]);
      const corrupt = yield* Expectation.within(
        "tail over damage",
        Expectation.failsWith(
          "tail",
          Stream.runForEach(journal.tail(runId(), 0), (stored) => Ref.update(seen, (all) => [...all, stored.seq])),
          "Corrupt",
        ),
      );
      yield* Expectation.same("before the damage", yield* Ref.get(seen), [1, 2]);
      yield* Expectation.same("position", corrupt.seq, 3);
    },
  }),
];

/** Makes a run and appends batches of the given sizes, each through a view of its own that is closed again. */
const prepare = Effect.fnUntraced(function* (harness: Harness.Harness, sizes: ReadonlyArray<number>) {
  yield* withView(harness, (journal) => journal.create(record()));
  for (const [index, size] of sizes.entries()) {
    const before = sizes.slice(0, index).reduce((sum, one) => sum + one, 0);
    yield* withView(harness, (journal) => journal.append(runId(), at(before), events(before + 1, before + size)));
  }
});

const appendsAgain = Effect.fnUntraced(function* (harness: Harness.Harness, lastSeq: number) {
  const writer = yield* harness.open;
  const next = yield* writer.append(runId(), at(lastSeq), [event(91), event(92)]);
  yield* Expectation.same("append after the torn end", next, lastSeq + 2);
  for (const view of [writer, yield* harness.open]) {
    const page = yield* view.read(runId());
    yield* Expectation.same("healed", [seqs(page.events), page.droppedTail], [range(1, lastSeq + 2), 0]);
    yield* Expectation.same("written", page.events.slice(lastSeq).map(normal), [
      asStored(event(91), lastSeq + 1),
      asStored(event(92), lastSeq + 2),
    ]);
  }
});
