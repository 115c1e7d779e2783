/**
 * The laws of DocumentStore.
 */
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";
import type * as Scope from "effect/Scope";
import * as Expectation from "../Expectation.ts";
import * as Law from "../Law.ts";

/** `open` gives a fresh view of the same storage, as another process would have. */
export interface DocumentStoreHarness {
  readonly open: Effect.Effect<DocumentStore["Service"], unknown, Scope.Scope>;
  /** Forgets everything that was not synced when it happened. Views opened before are not used again. */
  readonly powerLoss?: Effect.Effect<void, unknown>;
  /** Makes the stored form of a document unreadable. */
  readonly damage?: (collection: string, id: string) => Effect.Effect<void, unknown>;
}

const law = Law.of<DocumentStoreHarness>();

export const laws: ReadonlyArray<Law.Law<DocumentStoreHarness>> = [
  law({
    id: "DOC-01",
    title: "a document comes back with its id, its revision and its value exactly as given",
    *check(harness) {
      const store = yield* harness.open;
      for (const [index, value] of values.entries()) {
        yield* Expectation.same("revision", yield* store.put(profiles, `doc_${index}`, 0, value), 1);
        for (const view of [store, yield* harness.open]) {
          const document = yield* view.get(profiles, `doc_${index}`);
          yield* Expectation.same(
            "document",
            [document.id, document.revision, document.value],
            [`doc_${index}`, 1, value],
          );
        }
      }
    },
  }),
  law({
    id: "DOC-02",
    title: "each put at the present revision replaces the value and raises the revision by one",
    *check(harness) {
      const views = [yield* harness.open, yield* harness.open];
      for (const round of [0, 1, 2, 3]) {
        const view = views[round % 2] ?? (yield* harness.open);
        yield* Expectation.same("revision", yield* view.put(profiles, "writer", round, { round }), round + 1);
      }
      const document = yield* (yield* harness.open).get(profiles, "writer");
      yield* Expectation.same("document", [document.revision, document.value], [4, { round: 3 }]);
    },
  }),
  law({
    id: "DOC-03",
    title: "a put at any other revision is a conflict that names both and writes nothing",
    *check(harness) {
      const store = yield* harness.open;
      yield* store.put(profiles, "writer", 0, "one");
      yield* store.put(profiles, "writer", 1, "two");
      for (const expected of [0, 1, 3]) {
        const fault = yield* Expectation.failsWith("put", store.put(profiles, "writer", expected, "no"), "Conflict");
        yield* Expectation.same("expected and actual", [fault.expected, fault.actual], [expected, 2]);
      }
      const absent = yield* Expectation.failsWith("put", store.put(profiles, "absent", 1, "no"), "Conflict");
      yield* Expectation.same("expected and actual", [absent.expected, absent.actual], [1, 0]);
      const { documents } = yield* store.list(profiles);
      yield* Expectation.same(
        "documents",
        documents.map((one) => [one.id, one.revision, one.value]),
        [["writer", 2, "two"]],
      );
    },
  }),
  law({
    id: "DOC-04",
    title: "of several concurrent puts at one revision exactly one wins",
    *check(harness) {
      const views = [yield* harness.open, yield* harness.open, yield* harness.open];
      for (const revision of [0, 1, 2, 3, 4]) {
        const results = yield* Effect.forEach(
          views,
          (view, index) => Effect.result(view.put(profiles, "contested", revision, { index })),
          { concurrency: "unbounded" },
        );
        const { failed, succeeded } = Expectation.outcomes(results);
        yield* Expectation.same("winners", succeeded, [revision + 1]);
        yield* Expectation.same(
          "losers",
          failed.map((fault) => fault._tag),
          ["Conflict", "Conflict"],
        );
        const winner = results.findIndex((result) => result._tag === "Success");
        const document = yield* (yield* harness.open).get(profiles, "contested");
        yield* Expectation.same("document", [document.revision, document.value], [revision + 1, { index: winner }]);
      }
    },
  }),
  law({
    id: "DOC-05",
    title: "an unknown document is not found",
    *check(harness) {
      const store = yield* harness.open;
      yield* store.put(profiles, "writer", 0, 1);
      yield* Expectation.failsWith("unknown id", store.get(profiles, "other"), "NotFound");
      yield* Expectation.failsWith("unknown collection", store.get("policies", "writer"), "NotFound");
    },
  }),
  law({
    id: "DOC-06",
    title: "a list holds the documents of one collection, ordered by id",
    *check(harness) {
      const store = yield* harness.open;
      for (const id of ["b", "a", "Z", "a1", "_", "10", "9", "-"]) yield* store.put("inbox/run_1", id, 0, { id });
      yield* store.put("inbox/run_2", "elsewhere", 0, 0);
      yield* store.put("inbox", "above", 0, 0);
      const { damaged, documents } = yield* (yield* harness.open).list("inbox/run_1");
      yield* Expectation.same(
        "ids",
        documents.map((one) => one.id),
        ["-", "10", "9", "Z", "_", "a", "a1", "b"],
      );
      yield* Expectation.same(
        "values",
        documents.map((one) => [one.revision, one.value]),
        documents.map((one) => [1, { id: one.id }]),
      );
      yield* Expectation.same("damaged", damaged, []);
      yield* Expectation.same(
        "above",
        (yield* store.list("inbox")).documents.map((one) => one.id),
        ["above"],
      );
      yield* Expectation.same("unknown", (yield* store.list("policies")).documents, []);
    },
  }),
  law({
    id: "DOC-07",
    title: "a document is removed whatever its revision, again without error, and begins at 1 when it is made anew",
    *check(harness) {
      const store = yield* harness.open;
      yield* store.put(profiles, "writer", 0, "one");
      yield* store.put(profiles, "writer", 1, "two");
      yield* store.put(profiles, "kept", 0, "kept");
      yield* (yield* harness.open).remove(profiles, "writer");
      yield* store.remove(profiles, "writer");
      yield* store.remove("policies", "unknown");
      yield* Expectation.failsWith("get", store.get(profiles, "writer"), "NotFound");
      yield* Expectation.same(
        "list",
        (yield* store.list(profiles)).documents.map((one) => one.id),
        ["kept"],
      );
      yield* Expectation.same("made anew", yield* store.put(profiles, "writer", 0, "three"), 1);
    },
  }),
  law({
    id: "DOC-08",
    title: "a collection or an id of another form is refused",
    *check(harness) {
      const store = yield* harness.open;
      const bad: ReadonlyArray<readonly [string, string]> = [
        ["../up", "x"],
        ["a/b/c", "x"],
        ["", "x"],
        ["a//b", "x"],
        [profiles, ".."],
        [profiles, "a/b"],
        [profiles, ""],
        [profiles, "x".repeat(129)],
        [profiles, "a\u0000"],
      ];
      for (const [collection, id] of bad) {
        const fault = yield* Expectation.failsWith(
          `put ${JSON.stringify([collection, id])}`,
          store.put(collection, id, 0, 1),
          "Unavailable",
        );
        yield* Expectation.same("kind", fault.kind, "invalid");
      }
    },
  }),
  law({
    id: "DOC-09",
    title: "what put returned for is there after a loss of power",
    needs: ["powerLoss"],
    *check(harness) {
      for (const revision of [0, 1]) {
        yield* Effect.scoped(
          Effect.flatMap(harness.open, (store) => store.put(profiles, "writer", revision, { revision })),
        );
        yield* harness.powerLoss;
      }
      const document = yield* (yield* harness.open).get(profiles, "writer");
      yield* Expectation.same("document", [document.revision, document.value], [2, { revision: 1 }]);
    },
  }),
  law({
    id: "DOC-10",
    title: "a damaged document is corrupt for get, and left out and named by list",
    needs: ["damage"],
    *check(harness) {
      const store = yield* harness.open;
      for (const id of ["a", "b", "c"]) yield* store.put(profiles, id, 0, id);
      yield* harness.damage(profiles, "b");
      for (const view of [store, yield* harness.open]) {
        yield* Expectation.failsWith("get", view.get(profiles, "b"), "Corrupt");
        const { damaged, documents } = yield* view.list(profiles);
        yield* Expectation.same(
          "documents",
          documents.map((one) => one.id),
          ["a", "c"],
        );
        yield* Expectation.same("number of damaged", damaged.length, 1);
        yield* Expectation.isTrue(damaged[0]?.id.includes("b") ?? false, "the damaged document is not named");
      }
    },
  }),
  law({
    id: "DOC-11",
    title: "a damaged document is not overwritten by a put, and can be removed",
    needs: ["damage"],
    *check(harness) {
      const store = yield* harness.open;
      yield* store.put(profiles, "b", 0, "b");
      yield* harness.damage(profiles, "b");
      const view = yield* harness.open;
      for (const expected of [0, 1]) {
        yield* Expectation.failsWith("put", view.put(profiles, "b", expected, "new"), "Corrupt");
      }
      yield* view.remove(profiles, "b");
      yield* Expectation.same("made anew", yield* view.put(profiles, "b", 0, "new"), 1);
    },
  }),
  law({
    id: "DOC-12",
    title: "collections names every collection that holds a document, once and ordered, and no other",
    *check(harness) {
      const store = yield* harness.open;
      yield* Expectation.same("of an empty store", yield* store.collections, []);
      for (const name of ["inbox/run_2", "settings", "inbox", "inbox-old", "inbox/run_1", "Policies"]) {
        yield* store.put(name, "one", 0, 1);
        yield* store.put(name, "two", 0, 2);
      }
      const expected = ["Policies", "inbox", "inbox-old", "inbox/run_1", "inbox/run_2", "settings"];
      for (const view of [store, yield* harness.open]) {
        yield* Expectation.same("collections", yield* view.collections, expected);
      }
      yield* store.remove("settings", "one");
      for (const id of ["one", "two"]) {
        for (const name of ["inbox", "inbox/run_2"]) yield* store.remove(name, id);
      }
      yield* Expectation.same("after removals", yield* (yield* harness.open).collections, [
        "Policies",
        "inbox-old",
        "inbox/run_1",
        "settings",
      ]);
    },
  }),
  law({
    id: "DOC-13",
    title: "a collection whose only document is damaged is named",
    needs: ["damage"],
    *check(harness) {
      const store = yield* harness.open;
      yield* store.put(profiles, "damaged", 0, "one");
      yield* store.put("settings", "whole", 0, "one");
      yield* harness.damage(profiles, "damaged");
      for (const view of [store, yield* harness.open]) {
        yield* Expectation.same("collections", yield* view.collections, [profiles, "settings"]);
      }
    },
  }),
];

const profiles = "agent-profiles";

const values: ReadonlyArray<Schema.Json> = [
  { zebra: 1, alpha: { y: null, x: [true, 1.5, "", {}] }, "": [] },
  "a\u0000b \u2028 \ud800 \u{1f600}",
  null,
  0,
  [],
  false,
];
