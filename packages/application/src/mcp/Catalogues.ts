/**
 * What is known of the tools of MCP servers, in memory and in the storage.
 *
 * Owns the documents of the collection `mcp-catalogues`, under the registrations' ids, and which of them holds. Does not own
 * when a server is asked. A catalogue holds only for the way in which its server was reached; what is kept in memory holds for
 * as long as the registration names the same discovery, so that one of another process is noticed.
 */
import { classifyStorage } from "../failure/classifyStorage.ts";
import * as McpCatalogue from "@cahier/domain/mcp/McpCatalogue";
import type { McpRegistration } from "@cahier/domain/mcp/McpRegistration";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";

/** The collection of catalogues. */
export const cataloguesCollection = "mcp-catalogues";

/** `isStale`: the server has said that its tools are others since. `notKept`: why it is in memory only. */
export interface KnownCatalogue {
  readonly catalogue: McpCatalogue.McpCatalogue;
  readonly isStale: boolean;
  readonly notKept?: string;
}

export interface Catalogues {
  /** What is in memory, else what is stored; undefined where nothing is known. The same value for as long as nothing has changed. */
  readonly find: (registration: McpRegistration) => Effect.Effect<KnownCatalogue | undefined>;
  /** Whether `find` would answer from memory. */
  readonly isInMemory: (registration: McpRegistration) => boolean;
  /** Writes a catalogue in place of the one that is there; a sentence about why it cannot be. */
  readonly write: (id: string, catalogue: McpCatalogue.McpCatalogue) => Effect.Effect<void, string>;
  /** Takes a catalogue into memory, for the discovery that the registration names. */
  readonly remember: (registration: McpRegistration, known: KnownCatalogue) => void;
  /** Forgets it everywhere. What cannot be removed from the storage holds no more for the way in which the server is reached then. */
  readonly forget: (id: string) => Effect.Effect<void>;
  /** The server has said that its tools are others. */
  readonly markStale: (id: string) => void;
  /** How often it has said so. */
  readonly changesOf: (id: string) => number;
}

/** The catalogues of a storage. */
export const make = (documents: DocumentStore["Service"]): Catalogues => {
  const memory = new Map<string, Remembered>();
  const changes = new Map<string, number>();

  const remembered = (registration: McpRegistration): Remembered | undefined => {
    const found = memory.get(registration.id);
    if (found === undefined || found.registration === registration) return found;
    if (found.registration.discovery !== registration.discovery) return undefined;
    if (!McpCatalogue.isSameWay(found.registration, registration)) return undefined;
    // The next who asks is likely to have the same registration: two values need not be compared again and again.
    memory.set(registration.id, { ...found, registration });
    return found;
  };

  /** Fails only where the storage cannot be asked: then nothing is known for now. */
  const stored = Effect.fnUntraced(function* (registration: McpRegistration) {
    const document = yield* documents
      .get(cataloguesCollection, registration.id)
      .pipe(Effect.catchTags({ NotFound: () => Effect.undefined, Corrupt: () => Effect.undefined }));
    if (document === undefined) return undefined;
    const catalogue = Result.getOrUndefined(McpCatalogue.decode(document.value));
    if (catalogue === undefined || !McpCatalogue.isSameWay(catalogue.reachedBy, registration)) return undefined;
    return { catalogue, isStale: false };
  });

  return {
    find: Effect.fnUntraced(function* (registration) {
      const found = remembered(registration);
      if (found !== undefined) return found.known;
      return yield* stored(registration).pipe(
        Effect.tap((known) => Effect.sync(() => memory.set(registration.id, { registration, known }))),
        Effect.catch(() => Effect.undefined),
      );
    }),
    isInMemory: (registration) => remembered(registration)?.known !== undefined,
    write: (id, catalogue) => {
      const attempt = Effect.gen(function* () {
        const present = yield* documents.get(cataloguesCollection, id).pipe(
          Effect.map(({ revision }) => revision),
          Effect.catchTag("NotFound", () => Effect.succeed(0)),
          Effect.catchTag("Corrupt", () => Effect.as(documents.remove(cataloguesCollection, id), 0)),
        );
        yield* documents.put(cataloguesCollection, id, present, catalogue);
      });
      return attempt.pipe(
        Effect.retry({ while: (fault) => fault._tag === "Conflict", times: 3 }),
        Effect.mapError((fault) => classifyStorage(fault).message),
      );
    },
    remember: (registration, known) => {
      memory.set(registration.id, { registration, known });
    },
    forget: (id) =>
      Effect.sync(() => memory.delete(id)).pipe(
        Effect.andThen(documents.remove(cataloguesCollection, id)),
        Effect.ignore,
      ),
    markStale: (id) => {
      changes.set(id, (changes.get(id) ?? 0) + 1);
      const found = memory.get(id);
      if (found?.known !== undefined && !found.known.isStale)
        memory.set(id, { ...found, known: { ...found.known, isStale: true } });
    },
    changesOf: (id) => changes.get(id) ?? 0,
  };
};

/** What is in memory, and for which registration; that nothing is known is remembered, too. */
interface Remembered {
  readonly registration: McpRegistration;
  readonly known: KnownCatalogue | undefined;
}
