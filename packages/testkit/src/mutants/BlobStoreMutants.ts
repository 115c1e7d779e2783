/**
 * Broken blob stores: at least one for each law of BlobStore.
 */
import * as Sha256 from "@cahier/domain/payload/Sha256";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { NotFound, Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import type { BlobStoreHarness } from "../laws/BlobStoreLaws.ts";
import type { Mutant } from "../Mutant.ts";
import * as Change from "./Change.ts";

type Store = BlobStore["Service"];

const change = Change.of<Store, BlobStoreHarness>();

export const mutants: ReadonlyArray<Mutant<BlobStoreHarness>> = [
  {
    kills: "BLB-01",
    title: "a store that cuts its bytes at a megabyte's quarter",
    breaks: change((store) => ({
      get: (scope, sha256) => Effect.map(store.get(scope, sha256), (bytes) => bytes.slice(0, 262_144)),
    })),
  },
  {
    kills: "BLB-02",
    title: "a put that fails on bytes that are there",
    breaks: change((store) => ({
      put: (scope, bytes) =>
        Effect.flatMap(Effect.option(store.stat(scope, Sha256.ofBytes(bytes))), (found) =>
          found._tag === "None"
            ? store.put(scope, bytes)
            : Effect.fail(new Unavailable({ operation: "put", kind: "other", detail: "It is there." })),
        ),
    })),
  },
  {
    kills: "BLB-03",
    title: "a put that fails while another writes the same bytes",
    breaks: (harness) => {
      const writing = new Set<string>();
      return change((store) => ({
        put: (scope, bytes) =>
          Effect.suspend(() => {
            const sha256 = Sha256.ofBytes(bytes);
            if (writing.has(sha256)) {
              return Effect.fail(new Unavailable({ operation: "put", kind: "other", detail: "It is being written." }));
            }
            writing.add(sha256);
            return Effect.yieldNow.pipe(
              Effect.andThen(store.put(scope, bytes)),
              Effect.ensuring(Effect.sync(() => writing.delete(sha256))),
            );
          }),
      }))(harness);
    },
  },
  {
    kills: "BLB-04",
    title: "one scope for all blobs",
    breaks: change((store) => ({
      put: (_, bytes) => store.put(shared, bytes),
      get: (_, sha256) => store.get(shared, sha256),
      stat: (_, sha256) => store.stat(shared, sha256),
    })),
  },
  {
    kills: "BLB-05",
    title: "a stat that tells characters for bytes",
    breaks: change((store) => ({
      stat: (scope, sha256) =>
        Effect.flatMap(store.stat(scope, sha256), (stat) =>
          store.get(scope, sha256).pipe(
            Effect.map((bytes) => ({ ...stat, bytes: new TextDecoder().decode(bytes).length })),
            Effect.catchTag("Corrupt", () => Effect.fail(new NotFound({ entity: "blob", id: sha256 }))),
          ),
        ),
    })),
  },
  {
    kills: "BLB-06",
    title: "a list in the order of storing",
    breaks: (harness) => {
      const order: Array<string> = [];
      return change((store) => ({
        put: (scope, bytes) => Effect.tap(store.put(scope, bytes), (sha256) => Effect.sync(() => order.push(sha256))),
        list: (scope) =>
          Effect.map(store.list(scope), (stats) =>
            stats.toSorted((one, other) => order.indexOf(one.sha256) - order.indexOf(other.sha256)),
          ),
      }))(harness);
    },
  },
  {
    kills: "BLB-07",
    title: "a removal that removes nothing",
    breaks: change(() => ({ removeScope: () => Effect.void })),
  },
  {
    kills: "BLB-08",
    title: "a store that keeps and gives out the caller's own array",
    breaks: (harness) => {
      const kept = new Map<string, Uint8Array>();
      return change((store) => ({
        put: (scope, bytes) =>
          Effect.tap(store.put(scope, bytes), (sha256) => Effect.sync(() => kept.set(sha256, bytes))),
        get: (scope, sha256) => Effect.map(store.get(scope, sha256), (bytes) => kept.get(sha256) ?? bytes),
      }))(harness);
    },
  },
  {
    kills: "BLB-09",
    title: "a store that takes any text for a scope",
    breaks: change((store) => ({
      put: (scope, bytes) => Effect.catchTag(store.put(scope, bytes), "Unavailable", () => store.put(shared, bytes)),
    })),
  },
  {
    kills: "BLB-10",
    title: "a put that returns before it is synced",
    breaks: Change.unsynced<Store, BlobStoreHarness>()((store, later, sync) => ({
      put: (scope, bytes) => Effect.as(later(store.put(scope, bytes)), Sha256.ofBytes(bytes)),
      get: (scope, sha256) => Effect.andThen(sync, store.get(scope, sha256)),
      list: (scope) => Effect.andThen(sync, store.list(scope)),
    })),
  },
  {
    kills: "BLB-11",
    title: "a get that does not look at the digest",
    breaks: change((store) => ({
      get: (scope, sha256) =>
        Effect.catchTag(store.get(scope, sha256), "Corrupt", () => Effect.succeed(new Uint8Array([1, 2, 3]))),
    })),
  },
  {
    kills: "BLB-12",
    title: "a store that names the scopes that it has removed",
    breaks: (harness) => {
      const named = new Set<string>();
      return change((store) => ({
        put: (scope, bytes) => Effect.tap(store.put(scope, bytes), () => Effect.sync(() => named.add(scope))),
        scopes: Effect.sync(() => [...named].toSorted()),
      }))(harness);
    },
  },
  {
    kills: "BLB-12",
    title: "scopes in the order of a person of some country",
    breaks: change((store) => ({
      scopes: Effect.map(store.scopes, (scopes) => scopes.toSorted((one, other) => one.localeCompare(other, "en"))),
    })),
  },
  {
    kills: "BLB-13",
    title: "a removal that removes the bytes from every scope",
    breaks: change((store) => ({
      remove: (_, sha256) =>
        Effect.flatMap(store.scopes, (scopes) =>
          Effect.forEach(scopes, (scope) => store.remove(scope, sha256), { discard: true }),
        ),
    })),
  },
  {
    kills: "BLB-13",
    title: "a removal that takes the scope with it",
    breaks: change((store) => ({ remove: (scope) => store.removeScope(scope) })),
  },
  {
    kills: "BLB-14",
    title: "a removal that leaves what it cannot read",
    breaks: change((store) => ({
      remove: (scope, sha256) =>
        store
          .get(scope, sha256)
          .pipe(
            Effect.andThen(store.remove(scope, sha256)),
            Effect.catchTags({ Corrupt: () => Effect.void, NotFound: () => Effect.void }),
          ),
      put: (scope, bytes) =>
        Effect.flatMap(Effect.option(store.stat(scope, Sha256.ofBytes(bytes))), (found) =>
          found._tag === "Some" ? Effect.succeed(found.value.sha256) : store.put(scope, bytes),
        ),
    })),
  },
];

const shared = "run_shared";
