/**
 * The laws of SecretStore.
 */
import type { SecretStore } from "@cahier/ports/SecretStore";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type * as Scope from "effect/Scope";
import * as Expectation from "../Expectation.ts";
import * as Law from "../Law.ts";

/** `set` gives a key its value where the adapter reads it (null takes it away), also after `open`. */
export interface SecretStoreHarness {
  readonly open: Effect.Effect<SecretStore["Service"], unknown, Scope.Scope>;
  readonly set: (key: string, value: string | null) => Effect.Effect<void, unknown>;
}

const law = Law.of<SecretStoreHarness>();

export const laws: ReadonlyArray<Law.Law<SecretStoreHarness>> = [
  law({
    id: "SEC-01",
    title: "a reference resolves to the value of its key",
    *check(harness) {
      yield* harness.set("OPENAI_API_KEY", secret);
      yield* harness.set("OTHER_API_KEY", "another value");
      const store = yield* harness.open;
      const value = yield* store.resolve({ key: "OPENAI_API_KEY", label: "a label" });
      yield* Expectation.isTrue(Redacted.value(value) === secret, "resolve gave another value");
    },
  }),
  law({
    id: "SEC-02",
    title: "an absent secret is not found, by its key; an empty value counts as absent",
    *check(harness) {
      yield* harness.set("EMPTY_API_KEY", "");
      const store = yield* harness.open;
      for (const key of ["EMPTY_API_KEY", "ABSENT_API_KEY", "toString", "__proto__"]) {
        const fault = yield* Expectation.failsWith(
          key,
          Effect.map(store.resolve({ key }), () => "a value"),
          "NotFound",
        );
        yield* Expectation.same("named key", fault.id, key);
      }
    },
  }),
  law({
    id: "SEC-03",
    title: "has tells whether a secret has a value",
    *check(harness) {
      yield* harness.set("OPENAI_API_KEY", secret);
      yield* harness.set("EMPTY_API_KEY", "");
      const store = yield* harness.open;
      const found = yield* Effect.forEach(["OPENAI_API_KEY", "EMPTY_API_KEY", "ABSENT_API_KEY"], (key) =>
        store.has({ key }),
      );
      yield* Expectation.same("has", found, [true, false, false]);
    },
  }),
  law({
    id: "SEC-04",
    title: "keys are those that have a value, ordered",
    *check(harness) {
      for (const key of ["B_KEY", "A_KEY", "C_KEY"]) yield* harness.set(key, secret);
      yield* harness.set("EMPTY_KEY", "");
      const store = yield* harness.open;
      yield* Expectation.same("keys", yield* store.keys, ["A_KEY", "B_KEY", "C_KEY"]);
    },
  }),
  law({
    id: "SEC-05",
    title: "the value is that of the moment of use",
    *check(harness) {
      yield* harness.set("OPENAI_API_KEY", "old");
      const store = yield* harness.open;
      yield* store.resolve({ key: "OPENAI_API_KEY" });
      yield* harness.set("OPENAI_API_KEY", secret);
      const changed = yield* store.resolve({ key: "OPENAI_API_KEY" });
      yield* Expectation.isTrue(Redacted.value(changed) === secret, "resolve gave the old value");
      yield* harness.set("OPENAI_API_KEY", null);
      yield* Expectation.same("has", yield* store.has({ key: "OPENAI_API_KEY" }), false);
    },
  }),
  law({
    id: "SEC-06",
    title: "no text that the store gives holds a value: neither what it resolves nor its failures",
    *check(harness) {
      yield* harness.set("OPENAI_API_KEY", secret);
      const store = yield* harness.open;
      const resolved = yield* store.resolve({ key: "OPENAI_API_KEY" });
      const fault = yield* Expectation.failsWith(
        "absent secret",
        Effect.map(store.resolve({ key: "ABSENT_API_KEY" }), () => "a value"),
        "NotFound",
      );
      const keys = yield* store.keys;
      const texts = [
        // oxlint-disable-next-line typescript/no-base-to-string -- this very text is what the law looks at
        String(resolved),
        JSON.stringify({ resolved }),
        String(fault),
        JSON.stringify({ fault, store }),
        fault.message,
        ...keys,
      ];
      yield* Expectation.isTrue(
        texts.every((text) => !text.includes(secret)),
        "a text of the store holds the value",
      );
    },
  }),
];

const secret = "sk-cahier-law-0123456789";
