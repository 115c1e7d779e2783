/**
 * The secret that a binding names, fit to stand in a header.
 */
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import type { SecretStore } from "@cahier/ports/SecretStore";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { Source } from "../Route.ts";
import { notConfigured } from "./route.ts";

/** Undefined where the binding names none and the source needs none. Blanks around the value are no part of it. */
export const secretOf = Effect.fnUntraced(function* (
  secrets: SecretStore["Service"],
  source: Source,
  { secret }: ModelBinding,
) {
  if (secret === undefined) {
    if (source.secret === "optional") return undefined;
    return yield* notConfigured("secret", `the source ${source.source} needs a secret and the binding names none`);
  }
  const value = yield* secrets.resolve(secret).pipe(
    Effect.catchTags({
      NotFound: () => notConfigured("secret", `the secret ${secret.key} has no value`),
      Unavailable: ({ detail, kind }) =>
        notConfigured("secret", `the secret ${secret.key} cannot be read (${kind}): ${detail}`),
    }),
  );
  const trimmed = Redacted.value(value).trim();
  if (trimmed !== "" && printable.test(trimmed)) return Redacted.make(trimmed);
  return yield* notConfigured("secret", `the secret ${secret.key} is empty or has characters that no header can hold`);
});

/** Header values: visible ASCII only, so that no secret can break a header or be refused in an error that quotes it. */
const printable = /^[\u0021-\u007E]+$/;
