/**
 * Small revisioned JSON documents by collection and id: profiles, settings, heartbeats, the inboxes of runs.
 */
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";
import type { Conflict, Corrupt, NotFound, Unavailable } from "./StorageFault.ts";

/** Revisions are integers from 1, raised by 1 with each put. */
export interface Document {
  readonly id: string;
  readonly revision: number;
  readonly value: Schema.Json;
}

/**
 * A collection is one or two segments (`agent-profiles`, `inbox/run_…`) and an id one segment of `[A-Za-z0-9_-]{1,128}`.
 * Laws: `DOC-*` in `@cahier/testkit/laws/DocumentStoreLaws`.
 */
export class DocumentStore extends Context.Service<
  DocumentStore,
  {
    readonly get: (collection: string, id: string) => Effect.Effect<Document, NotFound | Corrupt | Unavailable>;
    /**
     * Writes `value` when the present revision is `expectedRevision` (0: the document must not exist) and gives the new
     * revision; else `Conflict` and nothing is written. Durable when it returns.
     */
    readonly put: (
      collection: string,
      id: string,
      expectedRevision: number,
      value: Schema.Json,
    ) => Effect.Effect<number, Conflict | Corrupt | Unavailable>;
    /** All readable documents of a collection, ordered by id; a damaged one is left out and reported in `damaged`. */
    readonly list: (
      collection: string,
    ) => Effect.Effect<
      { readonly documents: ReadonlyArray<Document>; readonly damaged: ReadonlyArray<Corrupt> },
      Unavailable
    >;
    /** Every collection that holds a document, readable or not, ordered. */
    readonly collections: Effect.Effect<ReadonlyArray<string>, Unavailable>;
    /** Removes a document, whatever its revision. Idempotent. A document made later under this id starts at revision 1. */
    readonly remove: (collection: string, id: string) => Effect.Effect<void, Unavailable>;
  }
>()("@cahier/ports/DocumentStore") {}
