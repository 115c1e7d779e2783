/**
 * BlobStore in memory. Two views of one storage object behave as two processes on one disk.
 */
import * as Sha256 from "@cahier/domain/payload/Sha256";
import { BlobStore, type BlobScope, type BlobStat } from "@cahier/ports/BlobStore";
import { Corrupt, NotFound, Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";

/** The blobs that views share, by scope and digest. */
export interface Storage {
  readonly scopes: Map<BlobScope, Map<Sha256.Sha256, Uint8Array>>;
}

/** An empty storage object. */
export const makeStorage = (): Storage => ({ scopes: new Map() });

/** A view of `storage`; bytes are copied on their way in and out, so that a blob never changes. */
export const make = (storage: Storage = makeStorage()): BlobStore["Service"] => {
  const find = (scope: BlobScope, sha256: Sha256.Sha256) => {
    const bytes = storage.scopes.get(scope)?.get(sha256);
    return bytes === undefined
      ? Effect.fail(new NotFound({ entity: "blob", id: `${scope}/${sha256}` }))
      : Effect.succeed(bytes);
  };

  return {
    put: Effect.fnUntraced(function* (scope, bytes) {
      if (!scopeForm.test(scope)) {
        return yield* new Unavailable({
          operation: "put",
          kind: "invalid",
          detail: `A scope has 1 to 128 of A-Z, a-z, 0-9, "_" and "-": ${JSON.stringify(scope)} is none.`,
        });
      }
      const sha256 = Sha256.ofBytes(bytes);
      const blobs = storage.scopes.get(scope) ?? new Map<Sha256.Sha256, Uint8Array>();
      storage.scopes.set(scope, blobs);
      if (!blobs.has(sha256)) blobs.set(sha256, bytes.slice());
      return sha256;
    }),

    get: Effect.fnUntraced(function* (scope, sha256) {
      const bytes = yield* find(scope, sha256);
      if (Sha256.ofBytes(bytes) !== sha256) {
        return yield* new Corrupt({
          entity: "blob",
          id: `${scope}/${sha256}`,
          detail: "The bytes have another digest.",
        });
      }
      return bytes.slice();
    }),

    stat: (scope, sha256) => Effect.map(find(scope, sha256), (bytes) => ({ sha256, bytes: bytes.length })),

    list: (scope) =>
      Effect.sync(() =>
        Array.from(storage.scopes.get(scope) ?? [], ([sha256, bytes]): BlobStat => ({
          sha256,
          bytes: bytes.length,
        })).toSorted((one, other) => (one.sha256 < other.sha256 ? -1 : 1)),
      ),

    scopes: Effect.sync(() =>
      Array.from(storage.scopes)
        .flatMap(([scope, blobs]) => (blobs.size === 0 ? [] : [scope]))
        .toSorted(),
    ),

    remove: (scope, sha256) => Effect.sync(() => void storage.scopes.get(scope)?.delete(sha256)),

    removeScope: (scope) => Effect.sync(() => void storage.scopes.delete(scope)),
  };
};

export const layer: Layer.Layer<BlobStore> = Layer.sync(BlobStore, () => make());

/** Changes one byte of a blob, as a bad disk would; an empty blob gets a byte. */
export const damage = (storage: Storage, scope: BlobScope, sha256: Sha256.Sha256): Effect.Effect<void> =>
  Effect.sync(() => {
    const blobs = storage.scopes.get(scope);
    const bytes = blobs?.get(sha256);
    if (blobs === undefined || bytes === undefined) return;
    blobs.set(sha256, Uint8Array.from([(bytes[0] ?? 0) ^ 1, ...bytes.subarray(1)]));
  });

const scopeForm = /^[A-Za-z0-9_-]{1,128}$/;
