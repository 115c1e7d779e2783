/**
 * Secrets as the programs and tests of this package hand them to the gateway: plain values by key.
 */
import type { SecretReference } from "@cahier/domain/model/ModelRequest";
import { SecretStore } from "@cahier/ports/SecretStore";
import { NotFound } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Redacted from "effect/Redacted";

/** The values by key; a key without a value, or with an empty one, is `NotFound`. */
export const layer = (values: Readonly<Record<string, string | undefined>>): Layer.Layer<SecretStore> => {
  const valueOf = (key: string): string | undefined => (values[key] === "" ? undefined : values[key]);
  return Layer.succeed(SecretStore)(
    SecretStore.of({
      resolve: ({ key }: SecretReference) => {
        const value = valueOf(key);
        return value === undefined
          ? Effect.fail(new NotFound({ entity: "secret", id: key }))
          : Effect.succeed(Redacted.make(value));
      },
      has: ({ key }) => Effect.succeed(valueOf(key) !== undefined),
      keys: Effect.succeed(
        Object.keys(values)
          .filter((key) => valueOf(key) !== undefined)
          .toSorted(),
      ),
    }),
  );
};

/** A value for every vendor's key, for calls that reach nobody. */
export const placeholders = layer({
  OPENAI_API_KEY: "placeholder-openai",
  ANTHROPIC_API_KEY: "placeholder-anthropic",
  GEMINI_API_KEY: "placeholder-gemini",
});
