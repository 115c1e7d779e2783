/**
 * SecretStore over environment variables: a reference's key is the variable's name.
 */
import { NotFound } from "@cahier/ports/StorageFault";
import { SecretStore } from "@cahier/ports/SecretStore";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Redacted from "effect/Redacted";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The secrets of an environment. Only names that look like those of secrets are listed. */
export const make = (environment: Environment): SecretStore["Service"] => ({
  resolve: ({ key }) => {
    const value = environment[key];
    return value === undefined || value === ""
      ? Effect.fail(new NotFound({ entity: "secret", id: key }))
      : Effect.succeed(Redacted.make(value));
  },
  has: ({ key }) => Effect.sync(() => (environment[key] ?? "") !== ""),
  keys: Effect.sync(() =>
    Object.keys(environment)
      .filter((name) => /(?:_KEY|_TOKEN|_SECRET)$/.test(name) && environment[name] !== "")
      .toSorted(),
  ),
});

export const layer = (environment: Environment): Layer.Layer<SecretStore> =>
  Layer.succeed(SecretStore, make(environment));
