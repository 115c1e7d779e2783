/**
 * The laws of BlobStore.
 */
import * as Sha256 from "@cahier/domain/payload/Sha256";
import type { BlobStore } from "@cahier/ports/BlobStore";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as Expectation from "../Expectation.ts";
import * as Law from "../Law.ts";

/** `open` gives a fresh view of the same storage, as another process would have. */
export interface BlobStoreHarness {
  readonly open: Effect.Effect<BlobStore["Service"], unknown, Scope.Scope>;
  /** Forgets everything that was not synced when it happened. Views opened before are not used again. */
  readonly powerLoss?: Effect.Effect<void, unknown>;
  /** Changes one stored byte of a blob. */
  readonly damage?: (scope: string, sha256: Sha256.Sha256) => Effect.Effect<void, unknown>;
}

const law = Law.of<BlobStoreHarness>();

export const laws: ReadonlyArray<Law.Law<BlobStoreHarness>> = [
  law({
    id: "BLB-01",
    title: "bytes are stored under their own SHA-256 and come back as they were",
    *check(harness) {
      const store = yield* harness.open;
      for (const bytes of samples()) {
        const sha256 = yield* store.put(scope, bytes);
        yield* Expectation.same("digest", sha256, Sha256.ofBytes(bytes));
        yield* Expectation.sameBytes("bytes", yield* store.get(scope, sha256), bytes);
        yield* Expectation.sameBytes("bytes in another view", yield* (yield* harness.open).get(scope, sha256), bytes);
      }
    },
  }),
  law({
    id: "BLB-02",
    title: "storing equal bytes twice is no error and makes one blob",
    *check(harness) {
      const store = yield* harness.open;
      const first = yield* store.put(scope, text("same"));
      const second = yield* (yield* harness.open).put(scope, text("same"));
      yield* Expectation.same("digests", second, first);
      yield* Expectation.same("list", yield* store.list(scope), [{ sha256: first, bytes: 4 }]);
    },
  }),
  law({
    id: "BLB-03",
    title: "equal bytes stored at the same time by two processes are stored",
    *check(harness) {
      const views = [yield* harness.open, yield* harness.open];
      const bytes = new Uint8Array(100_000).fill(7);
      const digests = yield* Effect.forEach(views, (view) => view.put(scope, bytes), { concurrency: "unbounded" });
      yield* Expectation.same("digests", digests, [Sha256.ofBytes(bytes), Sha256.ofBytes(bytes)]);
      yield* Expectation.sameBytes("bytes", yield* (yield* harness.open).get(scope, Sha256.ofBytes(bytes)), bytes);
    },
  }),
  law({
    id: "BLB-04",
    title: "a blob is found in its own scope alone; elsewhere and unknown it is not found",
    *check(harness) {
      const store = yield* harness.open;
      const sha256 = yield* store.put(scope, text("here"));
      for (const [where, what] of [
        [otherScope, sha256],
        [scope, Sha256.ofText("never stored")],
      ] as const) {
        yield* Expectation.failsWith("get", store.get(where, what), "NotFound");
        yield* Expectation.failsWith("stat", store.stat(where, what), "NotFound");
      }
    },
  }),
  law({
    id: "BLB-05",
    title: "stat tells a blob's digest and its length in bytes",
    *check(harness) {
      const store = yield* harness.open;
      const sha256 = yield* store.put(scope, text("äö"));
      yield* Expectation.same("stat", yield* store.stat(scope, sha256), { sha256, bytes: 4 });
    },
  }),
  law({
    id: "BLB-06",
    title: "a list holds all blobs of a scope, ordered by digest; an unknown scope is empty",
    *check(harness) {
      const store = yield* harness.open;
      yield* Effect.forEach(["a", "bb", "ccc", "dddd", "eeeee"], (one) => store.put(scope, text(one)));
      yield* store.put(otherScope, text("elsewhere"));
      const expected = ["a", "bb", "ccc", "dddd", "eeeee"]
        .map((one) => ({ sha256: Sha256.ofText(one), bytes: one.length }))
        .toSorted((one, other) => (one.sha256 < other.sha256 ? -1 : 1));
      yield* Expectation.same("list", yield* (yield* harness.open).list(scope), expected);
      yield* Expectation.same("unknown scope", yield* store.list("run_unknown"), []);
    },
  }),
  law({
    id: "BLB-07",
    title: "removing a scope removes its blobs and no others, and removing it again is no error",
    *check(harness) {
      const store = yield* harness.open;
      const gone = yield* store.put(scope, text("gone"));
      const kept = yield* store.put(otherScope, text("kept"));
      yield* store.removeScope(scope);
      yield* store.removeScope(scope);
      yield* store.removeScope("run_unknown");
      yield* Expectation.failsWith("removed blob", store.get(scope, gone), "NotFound");
      yield* Expectation.same("removed scope", yield* store.list(scope), []);
      yield* Expectation.sameBytes("other scope", yield* store.get(otherScope, kept), text("kept"));
      yield* Expectation.same("stored again", yield* store.put(scope, text("gone")), gone);
    },
  }),
  law({
    id: "BLB-08",
    title: "a blob does not change when the caller changes the array that it gave or got",
    *check(harness) {
      const store = yield* harness.open;
      const given = text("given");
      const sha256 = yield* store.put(scope, given);
      given.fill(0);
      const got = yield* store.get(scope, sha256);
      got.fill(1);
      yield* Expectation.sameBytes("blob", yield* store.get(scope, sha256), text("given"));
    },
  }),
  law({
    id: "BLB-09",
    title: "a scope that is no id is refused and nothing is stored",
    *check(harness) {
      const store = yield* harness.open;
      for (const bad of ["", "..", "a/b", "../../x", "a\u0000b", "x".repeat(129)]) {
        const fault = yield* Expectation.failsWith(
          `put in ${JSON.stringify(bad)}`,
          store.put(bad, text("x")),
          "Unavailable",
        );
        yield* Expectation.same("kind", fault.kind, "invalid");
      }
    },
  }),
  law({
    id: "BLB-10",
    title: "what put returned for is there after a loss of power",
    needs: ["powerLoss"],
    *check(harness) {
      const sha256 = yield* Effect.scoped(Effect.flatMap(harness.open, (store) => store.put(scope, text("kept"))));
      yield* harness.powerLoss;
      const store = yield* harness.open;
      yield* Expectation.sameBytes("blob", yield* store.get(scope, sha256), text("kept"));
      yield* Expectation.same("list", yield* store.list(scope), [{ sha256, bytes: 4 }]);
    },
  }),
  law({
    id: "BLB-11",
    title: "bytes that do not match their digest are corrupt and never returned",
    needs: ["damage"],
    *check(harness) {
      const store = yield* harness.open;
      const sha256 = yield* store.put(scope, text("to be damaged"));
      const other = yield* store.put(scope, text("whole"));
      yield* harness.damage(scope, sha256);
      for (const view of [store, yield* harness.open]) {
        const fault = yield* Expectation.failsWith("get", view.get(scope, sha256), "Corrupt");
        yield* Expectation.isTrue(fault.id.includes(sha256), "the fault does not name the blob");
        yield* Expectation.sameBytes("other blob", yield* view.get(scope, other), text("whole"));
      }
    },
  }),
  law({
    id: "BLB-12",
    title: "scopes names every scope that holds a blob, once and ordered, and no other",
    *check(harness) {
      const store = yield* harness.open;
      yield* Expectation.same("of an empty store", yield* store.scopes, []);
      for (const name of ["b", "a", "Z", "a1", "_", "10", "9", "-", scope]) {
        yield* store.put(name, text("one"));
        yield* store.put(name, text("two"));
      }
      const expected = ["-", "10", "9", "Z", "_", "a", "a1", "b", scope];
      for (const view of [store, yield* harness.open]) yield* Expectation.same("scopes", yield* view.scopes, expected);
      yield* store.removeScope("Z");
      yield* store.remove("a", Sha256.ofText("one"));
      yield* store.remove("b", Sha256.ofText("one"));
      yield* store.remove("b", Sha256.ofText("two"));
      yield* Expectation.same("after removals", yield* (yield* harness.open).scopes, [
        "-",
        "10",
        "9",
        "_",
        "a",
        "a1",
        scope,
      ]);
    },
  }),
  law({
    id: "BLB-13",
    title: "removing a blob removes it from its scope alone, and removing it again is no error",
    *check(harness) {
      const store = yield* harness.open;
      const gone = yield* store.put(scope, text("same"));
      const kept = yield* store.put(scope, text("other"));
      yield* store.put(otherScope, text("same"));
      for (const view of [store, yield* harness.open]) {
        yield* view.remove(scope, gone);
        yield* view.remove("run_unknown", gone);
        yield* Expectation.failsWith("get", view.get(scope, gone), "NotFound");
        yield* Expectation.failsWith("stat", view.stat(scope, gone), "NotFound");
        yield* Expectation.same("list", yield* view.list(scope), [{ sha256: kept, bytes: 5 }]);
        yield* Expectation.sameBytes("in another scope", yield* view.get(otherScope, gone), text("same"));
      }
      yield* Expectation.same("stored again", yield* store.put(scope, text("same")), gone);
      yield* Expectation.sameBytes("blob", yield* (yield* harness.open).get(scope, gone), text("same"));
    },
  }),
  law({
    id: "BLB-14",
    title: "a damaged blob can be removed and stored again",
    needs: ["damage"],
    *check(harness) {
      const store = yield* harness.open;
      const sha256 = yield* store.put(scope, text("to be damaged"));
      yield* harness.damage(scope, sha256);
      yield* store.remove(scope, sha256);
      yield* store.put(scope, text("to be damaged"));
      yield* Expectation.sameBytes("blob", yield* (yield* harness.open).get(scope, sha256), text("to be damaged"));
    },
  }),
];

const scope = "run_00000000000000000000000000000001";
const otherScope = "run_00000000000000000000000000000002";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

const samples = (): ReadonlyArray<Uint8Array> => [
  new Uint8Array(0),
  Uint8Array.from({ length: 256 }, (_, index) => index),
  text("line\r\nline\n\u{1f600}"),
  Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) % 251),
];
