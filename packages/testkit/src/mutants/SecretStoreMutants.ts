/**
 * Broken secret stores: at least one for each law of SecretStore.
 */
import type { SecretStore } from "@cahier/ports/SecretStore";
import { NotFound } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { SecretStoreHarness } from "../laws/SecretStoreLaws.ts";
import type { Mutant } from "../Mutant.ts";
import * as Change from "./Change.ts";

type Store = SecretStore["Service"];

const change = Change.of<Store, SecretStoreHarness>();

export const mutants: ReadonlyArray<Mutant<SecretStoreHarness>> = [
  {
    kills: "SEC-01",
    title: "a store that gives the key for the value",
    breaks: change((store) => ({
      resolve: (reference) => Effect.map(store.resolve(reference), () => Redacted.make(reference.key)),
    })),
  },
  {
    kills: "SEC-02",
    title: "an absent secret that resolves to nothing",
    breaks: change((store) => ({
      resolve: (reference) =>
        Effect.catchTag(store.resolve(reference), "NotFound", () => Effect.succeed(Redacted.make(""))),
    })),
  },
  {
    kills: "SEC-03",
    title: "a store that has everything",
    breaks: change(() => ({ has: () => Effect.succeed(true) })),
  },
  {
    kills: "SEC-04",
    title: "keys in another order",
    breaks: change((store) => ({ keys: Effect.map(store.keys, (keys) => keys.toReversed()) })),
  },
  {
    kills: "SEC-05",
    title: "a store that remembers the first value",
    breaks: change((store) => {
      const remembered = new Map<string, Redacted.Redacted>();
      return {
        resolve: (reference) =>
          Effect.suspend(() => {
            const first = remembered.get(reference.key);
            return first === undefined
              ? Effect.tap(store.resolve(reference), (value) => Effect.sync(() => remembered.set(reference.key, value)))
              : Effect.succeed(first);
          }),
      };
    }),
  },
  {
    kills: "SEC-06",
    title: "a failure that lists what the store holds",
    breaks: change((store) => ({
      resolve: (reference) =>
        Effect.catchTag(store.resolve(reference), "NotFound", () =>
          Effect.flatMap(store.resolve({ key: "OPENAI_API_KEY" }), (value) =>
            Effect.fail(new NotFound({ entity: Redacted.value(value), id: reference.key })),
          ),
        ),
    })),
  },
  {
    kills: "SEC-06",
    title: "a label that is the value",
    breaks: change((store) => ({
      resolve: (reference) =>
        Effect.map(store.resolve(reference), (value) =>
          Redacted.make(Redacted.value(value), { label: Redacted.value(value) }),
        ),
    })),
  },
];
