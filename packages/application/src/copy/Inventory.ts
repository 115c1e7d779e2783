/**
 * Everything that a storage holds, each thing by its digest, read back from the storage itself.
 *
 * Owns what counts as whole: a run whose journal and content can be read to the end. Does not own copying.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { isBlob } from "@cahier/domain/payload/Payload";
import { payloadsIn } from "@cahier/domain/payload/payloadsIn";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { RunOwner } from "@cahier/domain/run/event/lifecycle";
import { canonicalJson } from "@cahier/domain/tool/canonicalArguments";
import { BlobStore } from "@cahier/ports/BlobStore";
import { RunJournal, type RunRecord } from "@cahier/ports/RunJournal";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import type * as Schema from "effect/Schema";
import * as Stream from "effect/Stream";
import * as HostLog from "../retention/HostLog.ts";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { damagedStates } from "../persist/damagedStates.ts";
import { collectionOf, scopeOf } from "../persist/States.ts";
import { allRecords } from "../run/allRecords.ts";
import { unlistedRuns } from "../run/unlistedRuns.ts";
import { leftOutCollections } from "./leftOutCollections.ts";
import * as RunHash from "./runHash.ts";
import type { StorageSet } from "./StorageSet.ts";

/** A run as its journal stands. `owner` is the process that the journal names last, if it names one. */
export interface RunItem {
  readonly record: RunRecord;
  readonly hash: Sha256.Sha256;
  readonly lastSeq: number;
  readonly owner: RunOwner | null;
}

export interface BlobItem {
  readonly scope: string;
  readonly sha256: Sha256.Sha256;
}

export interface DocumentItem {
  readonly collection: string;
  readonly id: string;
  readonly value: Schema.Json;
  readonly hash: Sha256.Sha256;
}

/** Something that cannot be read whole, and why; a `record` is a run that is stored and in no list. */
export interface DamagedItem {
  readonly kind: "run" | "record" | "state" | "blob" | "document";
  readonly id: string;
  readonly failure: Fatal;
}

/** What a storage holds, each kind in a fixed order. */
export interface Inventory {
  /** Runs of which retention has removed content: that it is missing is no damage. */
  readonly slim: ReadonlySet<string>;
  readonly runs: ReadonlyArray<RunItem>;
  readonly blobs: ReadonlyArray<BlobItem>;
  readonly documents: ReadonlyArray<DocumentItem>;
  readonly damaged: ReadonlyArray<DamagedItem>;
}

/** Reads everything. What is damaged is listed as such, a run with all that is its own; other failures end the reading. */
export const take = Effect.fn("Inventory.take")(function* (
  storage: StorageSet,
  alsoSlim: ReadonlySet<string> = new Set(),
): Effect.fn.Return<Inventory, Fatal> {
  const found = yield* readBlobs(storage);
  const slimmed = yield* Effect.provideService(HostLog.slimmedRuns, DocumentStore, storage.documents);
  const slim = new Set([...slimmed, ...alsoSlim]);
  const runs = yield* readRuns(storage, found, slim);
  const documents = yield* readDocuments(storage);
  const services = Context.make(RunJournal, storage.journal).pipe(
    Context.add(BlobStore, storage.blobs),
    Context.add(DocumentStore, storage.documents),
  );
  const unlisted = yield* Effect.provideContext(unlistedRuns(), services);
  const states = yield* Effect.provideContext(damagedStates(), services);
  const statesLost = new Set(states.map(({ stateId, workspaceId }) => `${collectionOf(workspaceId)}/${stateId}`));
  const lost = new Set([
    ...runs.damaged.map(({ id }) => id),
    ...unlisted.map(({ runId }) => String(runId)),
    ...states.map(({ stateId }) => scopeOf(stateId)),
  ]);
  const blobs = [...found].flatMap(([scope, ofScope]) =>
    lost.has(scope) ? [] : [...ofScope].map(([sha256, failure]) => ({ scope, sha256, failure })),
  );
  return {
    slim,
    runs: runs.whole,
    blobs: blobs.filter(({ failure }) => failure === null).map(({ scope, sha256 }) => ({ scope, sha256 })),
    documents: documents.whole.filter(({ collection, id }) => !statesLost.has(`${collection}/${id}`)),
    damaged: [
      ...runs.damaged,
      ...unlisted.map(({ failure, runId }): DamagedItem => ({ kind: "record", id: runId, failure })),
      ...states.map(({ failure, stateId }): DamagedItem => ({ kind: "state", id: stateId, failure })),
      ...blobs.flatMap(({ failure, scope, sha256 }): ReadonlyArray<DamagedItem> =>
        failure === null ? [] : [{ kind: "blob", id: `${scope}/${sha256}`, failure }],
      ),
      ...documents.damaged,
    ],
  };
});

/** One digest for everything: of one line for each run, blob and document, sorted. Equal storages have equal ones. */
export const totalHash = ({ blobs, documents, runs }: Omit<Inventory, "damaged" | "slim">): Sha256.Sha256 =>
  Sha256.ofText(
    [
      ...runs.map(({ hash, record }) => `run ${record.runId} ${hash}`),
      ...blobs.map(({ scope, sha256 }) => `blob ${scope} ${sha256}`),
      ...documents.map(({ collection, hash, id }) => `document ${collection} ${id} ${hash}`),
    ]
      .toSorted()
      .join("\n"),
  );

/** The digest of a document: of its collection, id and value as JSON with sorted keys. */
export const documentHash = (collection: string, id: string, value: Schema.Json): Sha256.Sha256 =>
  Sha256.ofText(canonicalJson([collection, id, value]));

/** The records of all runs of a storage. */
export const recordsOf = ({ journal }: Pick<StorageSet, "journal">): Effect.Effect<ReadonlyArray<RunRecord>, Fatal> =>
  Effect.provideService(allRecords(), RunJournal, journal);

const eventsPerPage = 500;

/** A run's events page by page. A damaged place fails with what is wrong there. */
export const pagesOf = (
  { journal }: Pick<StorageSet, "journal">,
  runId: RunId,
): Stream.Stream<ReadonlyArray<StoredEvent>, Fatal> =>
  Stream.paginate(
    0,
    Effect.fnUntraced(function* (
      afterSeq: number,
    ): Effect.fn.Return<readonly [ReadonlyArray<ReadonlyArray<StoredEvent>>, Option.Option<number>], Fatal> {
      const page = yield* journal
        .read(runId, { afterSeq, limit: eventsPerPage })
        .pipe(Effect.mapError(classifyStorage));
      const last = page.events.at(-1);
      if (last === undefined && page.damage !== undefined) return yield* classifyStorage(page.damage);
      return last === undefined ? [[], Option.none()] : [[page.events], Option.some(last.seq)];
    }),
  );

/** The blobs of a scope by digest, each with what is wrong with it; null of a whole one. */
export type Contents = ReadonlyMap<Sha256.Sha256, Fatal | null>;

/** One run read to its end; `contents` are the blobs of its scope. */
export const readRun = Effect.fnUntraced(function* (
  storage: Pick<StorageSet, "journal">,
  record: RunRecord,
  contents: Contents,
  isSlim: boolean,
): Effect.fn.Return<RunItem, Fatal> {
  const found = { hash: RunHash.begin(record), lastSeq: 0, owner: null as RunOwner | null };
  yield* Stream.runForEach(
    pagesOf(storage, record.runId),
    Effect.fnUntraced(function* (events): Effect.fn.Return<void, Fatal> {
      for (const event of events) {
        yield* requireContents(event, contents, isSlim);
        found.hash = RunHash.add(found.hash, event);
        found.lastSeq = event.seq;
        if (event.type === "run_owner_changed")
          found.owner = (event.payload as unknown as { readonly owner: RunOwner | null }).owner;
      }
    }),
  );
  return { record, ...found };
});

const requireContents = (event: StoredEvent, contents: Contents, isSlim: boolean): Effect.Effect<void, Fatal> => {
  for (const payload of payloadsIn(event.payload)) {
    if (!isBlob(payload)) continue;
    const failure = contents.get(payload.sha256);
    if (failure === null || (failure === undefined && isSlim)) continue;
    return Effect.fail(
      failure ?? fatal("blob.missing", `The content of ${payload.path}, which event ${event.seq} names, is gone.`),
    );
  }
  return Effect.void;
};

const readRuns = Effect.fnUntraced(function* (
  storage: StorageSet,
  blobs: ReadonlyMap<string, Contents>,
  slim: ReadonlySet<string>,
): Effect.fn.Return<{ readonly whole: ReadonlyArray<RunItem>; readonly damaged: ReadonlyArray<DamagedItem> }, Fatal> {
  const whole: Array<RunItem> = [];
  const damaged: Array<DamagedItem> = [];
  for (const record of yield* recordsOf(storage)) {
    const { runId } = record;
    yield* readRun(storage, record, blobs.get(runId) ?? new Map(), slim.has(runId)).pipe(
      Effect.map((item) => void whole.push(item)),
      Effect.catch((failure) => noted(failure, damaged, { kind: "run", id: runId })),
    );
  }
  return { whole, damaged };
});

const readBlobs = Effect.fnUntraced(function* ({
  blobs,
}: StorageSet): Effect.fn.Return<ReadonlyMap<string, Contents>, Fatal> {
  const found = new Map<string, Map<Sha256.Sha256, Fatal | null>>();
  for (const scope of yield* blobs.scopes.pipe(Effect.mapError(classifyStorage))) {
    const ofScope = new Map<Sha256.Sha256, Fatal | null>();
    found.set(scope, ofScope);
    const stats = yield* blobs.list(scope).pipe(Effect.mapError(classifyStorage));
    yield* Effect.forEach(
      stats,
      ({ sha256 }) =>
        blobs.get(scope, sha256).pipe(
          Effect.mapError(classifyStorage),
          Effect.as(null),
          Effect.catch((failure) => (isDamage(failure) ? Effect.succeed(failure) : Effect.fail(failure))),
          Effect.map((failure) => void ofScope.set(sha256, failure)),
        ),
      { concurrency: readConcurrency, discard: true },
    );
  }
  return found;
});

const readConcurrency = 8;

const readDocuments = Effect.fnUntraced(function* ({ documents }: StorageSet): Effect.fn.Return<
  {
    readonly whole: ReadonlyArray<DocumentItem>;
    readonly damaged: ReadonlyArray<DamagedItem>;
  },
  Fatal
> {
  const whole: Array<DocumentItem> = [];
  const damaged: Array<DamagedItem> = [];
  for (const collection of yield* documents.collections.pipe(Effect.mapError(classifyStorage))) {
    if (leftOutCollections.includes(collection)) continue;
    const listed = yield* documents.list(collection).pipe(Effect.mapError(classifyStorage));
    for (const { id, value } of listed.documents)
      whole.push({ collection, id, value, hash: documentHash(collection, id, value) });
    for (const fact of listed.damaged)
      damaged.push({ kind: "document", id: `${collection}/${fact.id}`, failure: classifyStorage(fact) });
  }
  return { whole, damaged };
});

const noted = (
  failure: Fatal,
  damaged: Array<DamagedItem>,
  item: Omit<DamagedItem, "failure">,
): Effect.Effect<void, Fatal> => {
  if (!isDamage(failure)) return Effect.fail(failure);
  damaged.push({ ...item, failure });
  return Effect.void;
};

const isDamage = ({ reason }: Fatal): boolean => damageCodes.has(reason.code);

const damageCodes: ReadonlySet<string> = new Set(["journal.corrupt", "blob.missing", "blob.hash_mismatch"]);
