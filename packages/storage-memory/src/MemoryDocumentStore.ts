/**
 * DocumentStore in memory. Two views of one storage object behave as two processes on one disk.
 */
import { DocumentStore, type Document } from "@cahier/ports/DocumentStore";
import { Conflict, Corrupt, NotFound, Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";

/** The documents that views share, by collection and id. A damaged one is there as its fault. */
export interface Storage {
  readonly collections: Map<string, Map<string, Document | Corrupt>>;
}

/** An empty storage object. */
export const makeStorage = (): Storage => ({ collections: new Map() });

/** A view of `storage`. Values are immutable JSON and are kept as they are given. */
export const make = (storage: Storage = makeStorage()): DocumentStore["Service"] => ({
  get: Effect.fnUntraced(function* (collection, id) {
    yield* requireName("get", collection, id);
    const found = storage.collections.get(collection)?.get(id);
    if (found === undefined) return yield* new NotFound({ entity: "document", id: `${collection}/${id}` });
    if (found instanceof Corrupt) return yield* found;
    return found;
  }),

  put: Effect.fnUntraced(function* (collection, id, expectedRevision, value) {
    yield* requireName("put", collection, id);
    const documents = storage.collections.get(collection) ?? new Map<string, Document | Corrupt>();
    const found = documents.get(id);
    if (found instanceof Corrupt) return yield* found;
    const actual = found?.revision ?? 0;
    if (actual !== expectedRevision) {
      const name = `${collection}/${id}`;
      return yield* new Conflict({ entity: "document", id: name, expected: expectedRevision, actual });
    }
    documents.set(id, { id, revision: actual + 1, value });
    storage.collections.set(collection, documents);
    return actual + 1;
  }),

  list: (collection) =>
    Effect.sync(() => {
      const all = Array.from(storage.collections.get(collection) ?? []);
      const found = all.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, document]) => document);
      return {
        documents: found.filter((document): document is Document => !(document instanceof Corrupt)),
        damaged: found.filter((document) => document instanceof Corrupt),
      };
    }),

  collections: Effect.sync(() =>
    Array.from(storage.collections)
      .flatMap(([collection, documents]) => (documents.size === 0 ? [] : [collection]))
      .toSorted(),
  ),

  remove: (collection, id) => Effect.sync(() => void storage.collections.get(collection)?.delete(id)),
});

export const layer: Layer.Layer<DocumentStore> = Layer.sync(DocumentStore, () => make());

/** Makes a document unreadable, as a bad disk would. */
export const damage = (storage: Storage, collection: string, id: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const detail = "The document is damaged.";
    storage.collections
      .get(collection)
      ?.set(id, new Corrupt({ entity: "document", id: `${collection}/${id}`, detail }));
  });

const requireName = (operation: string, collection: string, id: string): Effect.Effect<void, Unavailable> =>
  collectionForm.test(collection) && idForm.test(id)
    ? Effect.void
    : Effect.fail(
        new Unavailable({
          operation,
          kind: "invalid",
          detail: `${JSON.stringify(`${collection}/${id}`)} is no name of a document: segments have 1 to 128 of A-Z, a-z, 0-9, "_" and "-".`,
        }),
      );

const idForm = /^[A-Za-z0-9_-]{1,128}$/;
const collectionForm = /^[A-Za-z0-9_-]{1,128}(?:\/[A-Za-z0-9_-]{1,128})?$/;
