/**
 * SecretStore of this machine: environment variables, and the file that the variable CAHIER_SECRETS names.
 *
 * A reference's key is the variable's name, and the name in the file; the variable is taken where both have a value.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { NotFound, Unavailable } from "@cahier/ports/StorageFault";
import { SecretStore } from "@cahier/ports/SecretStore";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Redacted from "effect/Redacted";
import * as SecretFile from "./SecretFile.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The secrets of an environment and its file, which is read at each use. Only variables that look like secrets are listed. */
export const make = (environment: Environment): SecretStore["Service"] => {
  const ofEnvironment = (key: string): string => (Object.hasOwn(environment, key) ? (environment[key] ?? "") : "");
  const ofFile = fileOf(environment).pipe(
    Effect.mapError(
      (cause) => new Unavailable({ operation: "read secrets", kind: "denied", detail: cause.reason.message, cause }),
    ),
  );
  const valueOf = (key: string): Effect.Effect<string, Unavailable> => {
    const value = ofEnvironment(key);
    return value === "" ? Effect.map(ofFile, (secrets) => secrets.get(key) ?? "") : Effect.succeed(value);
  };
  return {
    resolve: ({ key, label }) =>
      Effect.flatMap(valueOf(key), (value) =>
        value === ""
          ? Effect.fail(new NotFound({ entity: "secret", id: key }))
          : Effect.succeed(Redacted.make(value, { label: label ?? key })),
      ),
    has: ({ key }) => Effect.map(valueOf(key), (value) => value !== ""),
    keys: Effect.map(ofFile, (secrets) => {
      const variables = Object.keys(environment).filter(
        (name) => /(?:_KEY|_TOKEN|_SECRET)$/.test(name) && environment[name] !== "",
      );
      const named = [...secrets].flatMap(([key, value]) => (value === "" ? [] : [key]));
      return [...new Set([...variables, ...named])].toSorted();
    }),
  };
};

/** Fails at once where the environment names a file that cannot be used: a run would find out in its middle. */
export const layer = (environment: Environment): Layer.Layer<SecretStore, Fatal> =>
  Layer.effect(SecretStore, Effect.as(fileOf(environment), make(environment)));

/** The same without a look at the file, for what calls no model. */
export const uncheckedLayer = (environment: Environment): Layer.Layer<SecretStore> =>
  Layer.sync(SecretStore, () => make(environment));

const fileOf = (environment: Environment): Effect.Effect<SecretFile.Secrets, Fatal> => {
  const path = environment["CAHIER_SECRETS"] ?? "";
  return path === "" ? Effect.succeed(new Map()) : SecretFile.read(path);
};
