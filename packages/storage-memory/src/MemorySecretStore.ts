/**
 * SecretStore over a record of values. The record is read at each call, so a changed value is seen at once.
 */
import { SecretStore } from "@cahier/ports/SecretStore";
import { NotFound } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Redacted from "effect/Redacted";

/** Values by key; an empty one counts as absent. */
export type Values = Readonly<Record<string, string | undefined>>;

/** A store over `values`. */
export const make = (values: Values = {}): SecretStore["Service"] => {
  const valueOf = (key: string) => (Object.hasOwn(values, key) ? (values[key] ?? "") : "");

  return {
    resolve: (reference) =>
      Effect.suspend(() => {
        const value = valueOf(reference.key);
        return value === ""
          ? Effect.fail(new NotFound({ entity: "secret", id: reference.key }))
          : Effect.succeed(Redacted.make(value, { label: reference.label ?? reference.key }));
      }),
    has: (reference) => Effect.sync(() => valueOf(reference.key) !== ""),
    keys: Effect.sync(() =>
      Object.keys(values)
        .filter((key) => valueOf(key) !== "")
        .toSorted(),
    ),
  };
};

/** A store over `values`. */
export const layer = (values: Values = {}): Layer.Layer<SecretStore> => Layer.sync(SecretStore, () => make(values));
