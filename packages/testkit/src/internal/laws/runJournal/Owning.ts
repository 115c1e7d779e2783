/**
 * Laws of creating, claiming, the fence, listing and removing.
 */
import * as Effect from "effect/Effect";
import * as Expectation from "../../../Expectation.ts";
import * as Harness from "./Harness.ts";

const {
  asStored,
  at,
  event,
  events,
  law,
  normal,
  otherWorkspace,
  ownerChanged,
  range,
  record,
  runId,
  withRun,
  workspace,
} = Harness;

export const laws = [
  law({
    id: "JRN-10",
    title: "a claim raises the epoch by one and appends its event under the new epoch",
    *check(harness) {
      yield* withRun(harness, 2);
      const other = yield* harness.open;
      const claimed = yield* other.claim(runId(), 1, ownerChanged(3));
      yield* Expectation.same("claim", [claimed.epoch, claimed.lastSeq], [2, 3]);
      yield* other.append(runId(), at(3, 2), events(4, 4));
      const page = yield* (yield* harness.open).read(runId(), { afterSeq: 2 });
      yield* Expectation.same("epoch", [page.epoch, page.lastSeq], [2, 4]);
      yield* Expectation.same("events", page.events.map(normal), [
        asStored(ownerChanged(3), 3, 2),
        asStored(event(4), 4, 2),
      ]);
    },
  }),
  law({
    id: "JRN-11",
    title: "a claim that expects another epoch than the present one is a conflict and writes nothing",
    *check(harness) {
      const journal = yield* withRun(harness, 1);
      yield* journal.claim(runId(), 1, ownerChanged(2));
      for (const expected of [0, 1, 3]) {
        const conflict = yield* Expectation.failsWith(
          `claim of epoch ${expected}`,
          journal.claim(runId(), expected, ownerChanged(9)),
          "Conflict",
        );
        yield* Expectation.same("expected and actual", [conflict.expected, conflict.actual], [expected, 2]);
      }
      const page = yield* (yield* harness.open).read(runId());
      yield* Expectation.same("epoch and last", [page.epoch, page.lastSeq], [2, 2]);
      yield* Expectation.same("next append", yield* journal.append(runId(), at(2, 2), events(3, 3)), 3);
    },
  }),
  law({
    id: "JRN-12",
    title: "of several concurrent claims of one epoch exactly one wins",
    *check(harness) {
      yield* withRun(harness, 1);
      const views = yield* Effect.forEach(range(1, 4), () => harness.open);
      const results = yield* Effect.forEach(
        views,
        (view, index) => Effect.result(view.claim(runId(), 1, ownerChanged(10 + index))),
        { concurrency: "unbounded" },
      );
      const { failed, succeeded } = Expectation.outcomes(results);
      yield* Expectation.same(
        "winners",
        succeeded.map((won) => [won.epoch, won.lastSeq]),
        [[2, 2]],
      );
      yield* Expectation.same(
        "losers",
        failed.map((fault) => fault._tag),
        ["Conflict", "Conflict", "Conflict"],
      );
      const page = yield* (yield* harness.open).read(runId());
      const winner = results.findIndex((result) => result._tag === "Success");
      yield* Expectation.same("events", page.events.map(normal), [
        asStored(event(1), 1),
        asStored(ownerChanged(10 + winner), 2, 2),
      ]);
    },
  }),
  law({
    id: "JRN-13",
    title: "an append under an old epoch is fenced, names the present epoch, and no reader sees anything of it",
    *check(harness) {
      const old = yield* withRun(harness, 1);
      const owner = yield* harness.open;
      yield* owner.claim(runId(), 1, ownerChanged(2));
      for (const expected of [1, 2]) {
        const fenced = yield* Expectation.failsWith(
          "append of the old owner",
          old.append(runId(), at(expected, 1), events(50, 51)),
          "Fenced",
        );
        yield* Expectation.same("epochs", [fenced.epoch, fenced.currentEpoch], [1, 2]);
      }
      yield* owner.append(runId(), at(2, 2), events(3, 3));
      for (const view of [old, owner, yield* harness.open]) {
        const page = yield* view.read(runId());
        yield* Expectation.same("events", page.events.map(normal), [
          asStored(event(1), 1),
          asStored(ownerChanged(2), 2, 2),
          asStored(event(3), 3, 2),
        ]);
      }
    },
  }),
  law({
    id: "JRN-14",
    title: "releasing a run changes nothing in its journal, and it can be written again",
    *check(harness) {
      const journal = yield* withRun(harness, 2);
      yield* journal.release(runId());
      yield* journal.release(runId());
      yield* journal.release(runId(77));
      const page = yield* journal.read(runId());
      yield* Expectation.same("epoch and last", [page.epoch, page.lastSeq], [1, 2]);
      yield* Expectation.same("next append", yield* journal.append(runId(), at(2), events(3, 3)), 3);
    },
  }),
  law({
    id: "JRN-15",
    title: "creating a run twice is refused and leaves the first journal as it is",
    *check(harness) {
      const journal = yield* withRun(harness, 2);
      for (const view of [journal, yield* harness.open]) {
        yield* Expectation.failsWith("second creation", view.create(record(1, otherWorkspace)), "AlreadyExists");
      }
      const page = yield* journal.read(runId());
      yield* Expectation.same("last", page.lastSeq, 2);
      yield* Expectation.same("list", yield* journal.list(), [record()]);
    },
  }),
  law({
    id: "JRN-16",
    title: "of several concurrent creations of one run exactly one succeeds",
    *check(harness) {
      const views = yield* Effect.forEach(range(1, 3), () => harness.open);
      const results = yield* Effect.forEach(views, (view) => Effect.result(view.create(record())), {
        concurrency: "unbounded",
      });
      const { failed, succeeded } = Expectation.outcomes(results);
      yield* Expectation.same("successes", succeeded.length, 1);
      yield* Expectation.same(
        "others",
        failed.map((fault) => fault._tag),
        ["AlreadyExists", "AlreadyExists"],
      );
    },
  }),
  law({
    id: "JRN-17",
    title: "an unknown run is not found by append, claim and read, and none of them makes it",
    *check(harness) {
      const journal = yield* harness.open;
      yield* Expectation.failsWith("append", journal.append(runId(), at(0), events(1, 1)), "NotFound");
      yield* Expectation.failsWith("claim", journal.claim(runId(), 1, ownerChanged(1)), "NotFound");
      yield* Expectation.failsWith("read", journal.read(runId()), "NotFound");
      yield* Expectation.same("list", yield* journal.list(), []);
    },
  }),
  law({
    id: "JRN-18",
    title: "runs are listed newest first, equal times by descending id",
    *check(harness) {
      const journal = yield* harness.open;
      const sameTime = { ...record(9), createdAt: record(4).createdAt };
      for (const one of [record(2), record(4), record(1), sameTime, record(3)]) yield* journal.create(one);
      const listed = yield* (yield* harness.open).list();
      yield* Expectation.same(
        "list",
        listed.map(recordFields),
        [sameTime, record(4), record(3), record(2), record(1)].map(recordFields),
      );
    },
  }),
  law({
    id: "JRN-19",
    title: "a list of one workspace holds its runs alone",
    *check(harness) {
      const journal = yield* harness.open;
      for (const one of [record(1), record(2, otherWorkspace), record(3), record(4, otherWorkspace)]) {
        yield* journal.create(one);
      }
      const listed = yield* journal.list({ workspaceId: workspace, limit: 2 });
      yield* Expectation.same(
        "list",
        listed.map((one) => one.runId),
        [runId(3), runId(1)],
      );
    },
  }),
  law({
    id: "JRN-20",
    title: "pages of a list meet without a gap or a repetition; a page has 50 records, or 1 to 200 as asked",
    *check(harness) {
      const journal = yield* harness.open;
      yield* Effect.forEach(range(1, 205), (n) => journal.create(record(n)));
      const first = yield* journal.list();
      yield* Expectation.same(
        "first page",
        first.map((one) => one.runId),
        range(1, 50).map((n) => runId(206 - n)),
      );
      const last = first.at(-1) ?? record();
      const second = yield* journal.list({ before: last, limit: 3 });
      yield* Expectation.same(
        "second page",
        second.map((one) => one.runId),
        [runId(155), runId(154), runId(153)],
      );
      yield* Expectation.same("limit 0", (yield* journal.list({ limit: 0 })).length, 1);
      yield* Expectation.same("limit 1000", (yield* journal.list({ limit: 1000 })).length, 200);
    },
  }),
  law({
    id: "JRN-21",
    title: "removing takes a run out of the list and out of reach, and removing again is no error",
    *check(harness) {
      const journal = yield* withRun(harness, 2);
      yield* journal.create(record(2));
      yield* journal.remove(runId());
      yield* journal.remove(runId());
      yield* journal.remove(runId(99));
      for (const view of [journal, yield* harness.open]) {
        yield* Expectation.same(
          "list",
          (yield* view.list()).map((one) => one.runId),
          [runId(2)],
        );
        yield* Expectation.failsWith("read", view.read(runId()), "NotFound");
        yield* Expectation.failsWith("append", view.append(runId(), at(2), events(3, 3)), "NotFound");
      }
    },
  }),
  law({
    id: "JRN-22",
    title: "a run that is created again after its removal starts empty, at epoch 1",
    *check(harness) {
      const journal = yield* withRun(harness, 2);
      yield* journal.claim(runId(), 1, ownerChanged(3));
      yield* journal.remove(runId());
      yield* journal.create(record());
      const page = yield* journal.read(runId());
      yield* Expectation.same("page", [page.events, page.lastSeq, page.epoch], [[], 0, 1]);
      yield* Expectation.same("append", yield* journal.append(runId(), at(0), events(1, 1)), 1);
      yield* Expectation.same("claim", (yield* journal.claim(runId(), 1, ownerChanged(2))).epoch, 2);
    },
  }),
];

const recordFields = (one: { readonly runId: string; readonly workspaceId: string; readonly createdAt: string }) => [
  one.runId,
  one.workspaceId,
  one.createdAt,
];
