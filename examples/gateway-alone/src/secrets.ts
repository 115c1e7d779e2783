/**
 * Secrets from environment variables: the one thing that the gateway asks of whoever uses it.
 */
import { SecretStore } from "@cahier/ports/SecretStore";
import { NotFound } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Redacted from "effect/Redacted";

/** The variables of an environment by their names; an empty one has no value. */
export const layer = (environment: Readonly<Record<string, string | undefined>>): Layer.Layer<SecretStore> => {
  const keys = Object.keys(environment).filter((key) => environment[key] !== "");
  return Layer.succeed(SecretStore, {
    resolve: ({ key }) =>
      keys.includes(key)
        ? Effect.succeed(Redacted.make(environment[key] ?? ""))
        : Effect.fail(new NotFound({ entity: "secret", id: key })),
    has: ({ key }) => Effect.succeed(keys.includes(key)),
    keys: Effect.succeed(keys.toSorted()),
  });
};
