/**
 * Broken document stores: at least one for each law of DocumentStore.
 */
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import type { DocumentStoreHarness } from "../laws/DocumentStoreLaws.ts";
import type { Mutant } from "../Mutant.ts";
import * as Change from "./Change.ts";

type Store = DocumentStore["Service"];

const change = Change.of<Store, DocumentStoreHarness>();

export const mutants: ReadonlyArray<Mutant<DocumentStoreHarness>> = [
  {
    kills: "DOC-01",
    title: "text that went through UTF-8, which has no lone surrogates",
    breaks: change((store) => ({
      put: (collection, id, revision, value) =>
        store.put(collection, id, revision, typeof value === "string" ? value.toWellFormed() : value),
    })),
  },
  {
    kills: "DOC-02",
    title: "a put that raises the revision by two",
    breaks: change((store) => ({
      put: (collection, id, revision, value) =>
        Effect.flatMap(store.put(collection, id, revision, value), (next) => store.put(collection, id, next, value)),
    })),
  },
  {
    kills: "DOC-03",
    title: "a put that ignores the revision",
    breaks: change((store) => ({
      put: (collection, id, revision, value) =>
        Effect.catchTag(store.put(collection, id, revision, value), "Conflict", (conflict) =>
          store.put(collection, id, conflict.actual, value),
        ),
    })),
  },
  {
    kills: "DOC-04",
    title: "a put that looks first and writes later",
    breaks: change((store) => ({
      put: (collection, id, expected, value) =>
        Effect.gen(function* () {
          const seen = yield* store.get(collection, id).pipe(
            Effect.map((document) => document.revision),
            Effect.catchTag("NotFound", () => Effect.succeed(0)),
          );
          yield* Effect.yieldNow;
          if (seen !== expected) return yield* store.put(collection, id, expected, value);
          yield* store.remove(collection, id);
          for (let revision = 0; revision < expected; revision += 1) {
            yield* store.put(collection, id, revision, value);
          }
          return yield* store.put(collection, id, expected, value);
        }),
    })),
  },
  {
    kills: "DOC-05",
    title: "an unknown document that is an empty one",
    breaks: change((store) => ({
      get: (collection, id) =>
        Effect.catchTag(store.get(collection, id), "NotFound", () => Effect.succeed({ id, revision: 0, value: null })),
    })),
  },
  {
    kills: "DOC-06",
    title: "a list ordered as a person of some country would",
    breaks: change((store) => ({
      list: (collection) =>
        Effect.map(store.list(collection), ({ damaged, documents }) => ({
          damaged,
          documents: documents.toSorted((one, other) => one.id.localeCompare(other.id, "en")),
        })),
    })),
  },
  {
    kills: "DOC-06",
    title: "a list that includes the collections below",
    breaks: change((store) => ({
      list: (collection) =>
        Effect.gen(function* () {
          const own = yield* store.list(collection);
          const below = yield* store.list(`${collection}/run_2`).pipe(Effect.orElseSucceed(() => own));
          return collection.includes("/") ? own : { ...own, documents: [...own.documents, ...below.documents] };
        }),
    })),
  },
  {
    kills: "DOC-07",
    title: "a removal that keeps counting the revisions",
    breaks: (harness) => {
      const last = new Map<string, number>();
      return change((store) => ({
        put: (collection, id, revision, value) =>
          Effect.map(store.put(collection, id, revision, value), (next) => {
            const counted = revision === 0 ? (last.get(id) ?? 0) + 1 : next;
            last.set(id, counted);
            return counted;
          }),
      }))(harness);
    },
  },
  {
    kills: "DOC-08",
    title: "a store that drops what it does not like in a name",
    breaks: change((store) => ({
      put: (collection, id, revision, value) =>
        Effect.catchTag(store.put(collection, id, revision, value), "Unavailable", () =>
          store.put("cleaned", `x${id.replaceAll(/[^a-z]/g, "").slice(0, 9)}`, 0, value),
        ),
    })),
  },
  {
    kills: "DOC-09",
    title: "a put that returns before it is synced",
    breaks: Change.unsynced<Store, DocumentStoreHarness>()((store, later, sync) => ({
      get: (collection, id) => Effect.andThen(sync, store.get(collection, id)),
      put: (collection, id, revision, value) =>
        Effect.as(later(store.put(collection, id, revision, value)), revision + 1),
    })),
  },
  {
    kills: "DOC-10",
    title: "a list that is silent about what it leaves out",
    breaks: change((store) => ({
      list: (collection) => Effect.map(store.list(collection), ({ documents }) => ({ documents, damaged: [] })),
    })),
  },
  {
    kills: "DOC-11",
    title: "a put that takes a damaged document for an absent one",
    breaks: change((store) => ({
      put: (collection, id, revision, value) =>
        Effect.catchTag(store.put(collection, id, revision, value), "Corrupt", () =>
          Effect.andThen(store.remove(collection, id), store.put(collection, id, 0, value)),
        ),
    })),
  },
  {
    kills: "DOC-12",
    title: "a store that names the collections that it has emptied",
    breaks: (harness) => {
      const named = new Set<string>();
      return change((store) => ({
        put: (collection, id, revision, value) =>
          Effect.tap(store.put(collection, id, revision, value), () => Effect.sync(() => named.add(collection))),
        collections: Effect.sync(() => [...named].toSorted()),
      }))(harness);
    },
  },
  {
    kills: "DOC-12",
    title: "collections ordered segment by segment",
    breaks: change((store) => ({
      collections: Effect.map(store.collections, (names) =>
        names.toSorted((one, other) => (one.replace("/", "\u0000") < other.replace("/", "\u0000") ? -1 : 1)),
      ),
    })),
  },
  {
    kills: "DOC-13",
    title: "collections that leave out what cannot be read",
    breaks: change((store) => ({
      collections: Effect.flatMap(store.collections, (names) =>
        Effect.filter(names, (name) => Effect.map(store.list(name), ({ documents }) => documents.length > 0)),
      ),
    })),
  },
];
