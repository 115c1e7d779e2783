/**
 * Resolves a secret reference to its value at the moment of use. Values never enter journal, logs or errors.
 */
import type { SecretReference } from "@cahier/domain/model/ModelRequest";
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { NotFound, Unavailable } from "./StorageFault.ts";

/** Laws: `SEC-*` in `@cahier/testkit/laws/SecretStoreLaws`. */
export class SecretStore extends Context.Service<
  SecretStore,
  {
    /** The present value of the secret; `NotFound` names the key, and an empty value counts as absent. */
    readonly resolve: (reference: SecretReference) => Effect.Effect<Redacted.Redacted, NotFound | Unavailable>;
    /** Whether the secret has a value, without reading it out. */
    readonly has: (reference: SecretReference) => Effect.Effect<boolean, Unavailable>;
    /** The keys that have a value, ordered. */
    readonly keys: Effect.Effect<ReadonlyArray<string>, Unavailable>;
  }
>()("@cahier/ports/SecretStore") {}
