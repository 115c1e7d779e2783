/**
 * Immutable bytes, addressed by scope and SHA-256.
 */
import type { Sha256 } from "@cahier/domain/payload/Sha256";
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import type { Corrupt, NotFound, Unavailable } from "./StorageFault.ts";

/** A scope is a run id or another id of the form `[A-Za-z0-9_-]{1,128}`; removing it removes its blobs. */
export type BlobScope = string;

export interface BlobStat {
  readonly sha256: Sha256;
  readonly bytes: number;
}

/** Laws: `BLB-*` in `@cahier/testkit/laws/BlobStoreLaws`. */
export class BlobStore extends Context.Service<
  BlobStore,
  {
    /** Stores `bytes` under their own digest; durable when it returns. Equal bytes twice is no error. */
    readonly put: (scope: BlobScope, bytes: Uint8Array) => Effect.Effect<Sha256, Unavailable>;
    /** The bytes, checked against the digest: other bytes are `Corrupt`, never returned. */
    readonly get: (scope: BlobScope, sha256: Sha256) => Effect.Effect<Uint8Array, NotFound | Corrupt | Unavailable>;
    readonly stat: (scope: BlobScope, sha256: Sha256) => Effect.Effect<BlobStat, NotFound | Unavailable>;
    /** All blobs of a scope, ordered by digest; empty for an unknown scope. */
    readonly list: (scope: BlobScope) => Effect.Effect<ReadonlyArray<BlobStat>, Unavailable>;
    /** Every scope that holds a blob, ordered. */
    readonly scopes: Effect.Effect<ReadonlyArray<BlobScope>, Unavailable>;
    /** Removes one blob of a scope; the same bytes in another scope stay. Idempotent. */
    readonly remove: (scope: BlobScope, sha256: Sha256) => Effect.Effect<void, Unavailable>;
    /** Removes a scope with all its blobs. Idempotent. */
    readonly removeScope: (scope: BlobScope) => Effect.Effect<void, Unavailable>;
  }
>()("@cahier/ports/BlobStore") {}
