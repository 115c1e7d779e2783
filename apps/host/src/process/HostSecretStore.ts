/**
 * SecretStore of this machine: environment variables, the file that the variable CAHIER_SECRETS names, and with
 * CAHIER_KEYRING=1 the system's keyring.
 *
 * A reference's key is the variable's name, the name in the file and the account in the keyring. The first of them that
 * has a value gives it.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { NotFound, Unavailable } from "@cahier/ports/StorageFault";
import { SecretStore } from "@cahier/ports/SecretStore";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Redacted from "effect/Redacted";
import * as Keyring from "./Keyring.ts";
import * as SecretFile from "./SecretFile.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a secret has its value, in the order in which it is looked for. */
export type Place = "environment" | "file" | "keyring" | "nowhere";

/**
 * The secrets of an environment, its file, which is read at each use, and its keyring, which is asked last. `keys` are
 * those of the variables that look like secrets and of the file: a keyring gives its accounts only with their values.
 */
export const make = (environment: Environment, keyring: Keyring.Keyring = Keyring.system): SecretStore["Service"] => {
  const find = finder(environment, keyring);
  return {
    resolve: ({ key, label }) =>
      Effect.flatMap(find(key), ({ value }) =>
        value === ""
          ? Effect.fail(new NotFound({ entity: "secret", id: key }))
          : Effect.succeed(Redacted.make(value, { label: label ?? key })),
      ),
    has: ({ key }) => Effect.map(find(key), ({ value }) => value !== ""),
    keys: Effect.map(secretsOf(environment), (secrets) => {
      const variables = Object.keys(environment).filter(
        (name) => /(?:_KEY|_TOKEN|_SECRET)$/.test(name) && environment[name] !== "",
      );
      const named = [...secrets].flatMap(([key, value]) => (value === "" ? [] : [key]));
      return [...new Set([...variables, ...named])].toSorted();
    }),
  };
};

/** Where the secret of a key has its value, which is not told. */
export const placeOf = (
  environment: Environment,
  key: string,
  keyring: Keyring.Keyring = Keyring.system,
): Effect.Effect<Place, Unavailable> => Effect.map(finder(environment, keyring)(key), ({ place }) => place);

/** Fails at once where the environment names a file that cannot be used: a run would find out in its middle. */
export const layer = (environment: Environment): Layer.Layer<SecretStore, Fatal> =>
  Layer.effect(SecretStore, Effect.as(fileOf(environment), make(environment)));

/** The same without a look at the file, for what calls no model. */
export const uncheckedLayer = (environment: Environment): Layer.Layer<SecretStore> =>
  Layer.sync(SecretStore, () => make(environment));

interface Found {
  readonly place: Place;
  readonly value: string;
}

const nowhere: Found = { place: "nowhere", value: "" };

const finder = (environment: Environment, keyring: Keyring.Keyring) =>
  Effect.fnUntraced(function* (key: string): Effect.fn.Return<Found, Unavailable> {
    const ofEnvironment = Object.hasOwn(environment, key) ? (environment[key] ?? "") : "";
    if (ofEnvironment !== "") return { place: "environment", value: ofEnvironment };
    const ofFile = (yield* secretsOf(environment)).get(key) ?? "";
    if (ofFile !== "") return { place: "file", value: ofFile };
    if (environment["CAHIER_KEYRING"] !== "1") return nowhere;
    const ofKeyring = (yield* keyring.read(key)) ?? "";
    return ofKeyring === "" ? nowhere : { place: "keyring", value: ofKeyring };
  });

const secretsOf = (environment: Environment): Effect.Effect<SecretFile.Secrets, Unavailable> =>
  fileOf(environment).pipe(
    Effect.mapError(
      (cause) => new Unavailable({ operation: "read secrets", kind: "denied", detail: cause.reason.message, cause }),
    ),
  );

const fileOf = (environment: Environment): Effect.Effect<SecretFile.Secrets, Fatal> => {
  const path = environment["CAHIER_SECRETS"] ?? "";
  return path === "" ? Effect.succeed(new Map()) : SecretFile.read(path);
};
