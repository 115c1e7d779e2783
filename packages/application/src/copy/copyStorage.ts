/**
 * Moves everything that one storage holds into another, whatever kinds of storage they are.
 *
 * Owns the order (content before what names it), what is refused before anything is written, and the proof: both sides are
 * read back and their digests compared. Does not own opening storages. The storage that is copied from is only read.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import type * as Sha256 from "@cahier/domain/payload/Sha256";
import { BlobStore } from "@cahier/ports/BlobStore";
import { HostProcess } from "@cahier/ports/HostProcess";
import { RunJournal } from "@cahier/ports/RunJournal";
import { RunMirror } from "@cahier/ports/RunMirror";
import * as Effect from "effect/Effect";
import { classifyStorage } from "../failure/classifyStorage.ts";
import { mirrorRun } from "../run/mirrorRun.ts";
import { lives } from "../run/Ownership.ts";
import * as Inventory from "./Inventory.ts";
import * as CopyMark from "./CopyMark.ts";
import type { StorageSet } from "./StorageSet.ts";

/** `leaveOutDamaged` copies the rest where something cannot be read whole; without it nothing is copied then. */
export interface CopyOptions {
  readonly leaveOutDamaged?: boolean;
}

/** How many were written, and how many were there already. */
export interface Copied {
  readonly copied: number;
  readonly present: number;
}

/** Something that was left out because it is damaged, with the code and message of what is wrong. */
export interface LeftOut {
  readonly kind: Inventory.DamagedItem["kind"];
  readonly id: string;
  readonly code: string;
  readonly message: string;
}

/** `hash` is that of everything copied, equal on both sides. `untreed` are runs whose readable tree could not be made. */
export interface CopyReport {
  readonly hash: Sha256.Sha256;
  readonly runs: Copied;
  readonly blobs: Copied;
  readonly documents: Copied;
  readonly leftOut: ReadonlyArray<LeftOut>;
  readonly untreed: ReadonlyArray<RunId>;
}

/**
 * Copies all runs, blobs and documents but those of `leftOutCollections`. Refused before anything is written:
 * `storage.in_use` while a living process carries a run of `from` on, `storage.copy_conflict` where `to` has something else
 * under the same name, and the code of what is damaged. Made again after it was stopped it writes only what is missing.
 * When what is read back is not what was copied, it is `storage.copy_unverified`.
 */
export const copyStorage = Effect.fn("Storage.copy")(function* (
  from: StorageSet,
  to: StorageSet,
  { leaveOutDamaged = false }: CopyOptions = {},
): Effect.fn.Return<CopyReport, Fatal, HostProcess> {
  const source = yield* Inventory.take(from);
  yield* requireIdle(from, source.runs);
  const [damaged] = source.damaged;
  if (damaged !== undefined && !leaveOutDamaged) return yield* refused(damaged, source.damaged.length);
  const present = yield* Inventory.take(to, source.slim);
  const missing = yield* missingFrom(source, present);
  yield* CopyMark.set(to);
  yield* write(from, to, missing);
  yield* verify(from, to, source);
  yield* CopyMark.clear(to);
  return {
    hash: Inventory.totalHash(source),
    runs: counted(source.runs, missing.runs),
    blobs: counted(source.blobs, missing.blobs),
    documents: counted(source.documents, missing.documents),
    leftOut: source.damaged.map(({ failure, id, kind }) => ({
      kind,
      id,
      code: failure.reason.code,
      message: failure.message,
    })),
    untreed: yield* showTrees(to, source.runs),
  };
});

const counted = (all: ReadonlyArray<unknown>, written: ReadonlyArray<unknown>): Copied => ({
  copied: written.length,
  present: all.length - written.length,
});

/** A run that somebody writes on is never whole. */
const requireIdle = Effect.fnUntraced(function* (
  { documents }: StorageSet,
  runs: ReadonlyArray<Inventory.RunItem>,
): Effect.fn.Return<void, Fatal, HostProcess> {
  const process = yield* HostProcess;
  for (const { owner, record } of runs) {
    if (owner === null || !(yield* lives(process, documents, owner))) continue;
    return yield* fatal(
      "storage.in_use",
      `Process ${owner.pid} on ${owner.machine} is carrying the run ${record.runId} on. Wait for it or end that process; then copy again.`,
    );
  }
});

const refused = (first: Inventory.DamagedItem, count: number): Fatal => {
  const { code, message } = first.failure.reason;
  const others = count === 1 ? "" : ` ${count - 1} more cannot be read whole.`;
  return fatal(
    code,
    `Nothing was copied: the ${first.kind} ${first.id} cannot be read whole. ${message}${others} Repair it, or leave out what is damaged.`,
    { cause: first.failure },
  );
};

type Missing = Omit<Inventory.Inventory, "damaged" | "slim">;

/** What `present` does not have of `source`; something else under the same name is a conflict. */
const missingFrom = (source: Inventory.Inventory, present: Inventory.Inventory): Effect.Effect<Missing, Fatal> => {
  const damaged = new Set(present.damaged.map(({ id, kind }) => `${kind} ${id}`));
  const runs = new Map(present.runs.map(({ hash, record }) => [record.runId, hash]));
  const blobs = new Set(present.blobs.map(({ scope, sha256 }) => `${scope}/${sha256}`));
  const documents = new Map(present.documents.map(({ collection, hash, id }) => [`${collection}/${id}`, hash]));
  const conflicts = [
    ...source.runs
      .filter(
        ({ hash, record }) =>
          damaged.has(`run ${record.runId}`) ||
          damaged.has(`record ${record.runId}`) ||
          differs(runs.get(record.runId), hash),
      )
      .map(({ record }) => `run ${record.runId}`),
    ...source.documents
      .filter(({ collection, hash, id }) => {
        const name = `${collection}/${id}`;
        return damaged.has(`document ${name}`) || differs(documents.get(name), hash);
      })
      .map(({ collection, id }) => `document ${collection}/${id}`),
  ];
  const [first] = conflicts;
  if (first !== undefined)
    return Effect.fail(
      fatal(
        "storage.copy_conflict",
        `Nothing was copied: the other storage has another ${first}${conflicts.length === 1 ? "" : `, and ${conflicts.length - 1} more that differ`}. Copy into an empty storage, or remove what differs there.`,
        { details: { conflicts: conflicts.slice(0, conflictLimit) } },
      ),
    );
  return Effect.succeed({
    runs: source.runs.filter(({ record }) => !runs.has(record.runId)),
    blobs: source.blobs.filter(({ scope, sha256 }) => !blobs.has(`${scope}/${sha256}`)),
    documents: source.documents.filter(({ collection, id }) => !documents.has(`${collection}/${id}`)),
  });
};

/** How many of the things that differ are named. */
const conflictLimit = 100;

const differs = (found: Sha256.Sha256 | undefined, expected: Sha256.Sha256): boolean =>
  found !== undefined && found !== expected;

const write = Effect.fnUntraced(function* (
  from: StorageSet,
  to: StorageSet,
  { blobs, documents, runs }: Missing,
): Effect.fn.Return<void, Fatal> {
  yield* Effect.forEach(
    blobs,
    ({ scope, sha256 }) =>
      Effect.flatMap(from.blobs.get(scope, sha256), (bytes) => to.blobs.put(scope, bytes)).pipe(
        Effect.mapError(classifyStorage),
      ),
    { concurrency: writeConcurrency, discard: true },
  );
  // Oldest first, so that a storage which orders by arrival has them in the order in which they were made.
  for (const { record } of runs.toReversed())
    yield* to.journal
      .create(record, Inventory.pagesOf(from, record.runId))
      .pipe(Effect.mapError((failure) => (failure._tag === "Fatal" ? failure : classifyStorage(failure))));
  for (const { collection, id, value } of documents)
    yield* to.documents.put(collection, id, 0, value).pipe(Effect.mapError(classifyStorage));
});

const writeConcurrency = 8;

/** Reads back what was copied, and looks whether the storage that it came from has stayed as it was. */
const verify = Effect.fnUntraced(function* (
  from: StorageSet,
  to: StorageSet,
  source: Inventory.Inventory,
): Effect.fn.Return<void, Fatal> {
  const read = yield* Inventory.take(to);
  const copied = Inventory.totalHash(only(read, source));
  const expected = Inventory.totalHash(source);
  if (copied !== expected)
    return yield* fatal(
      "storage.copy_unverified",
      `What was read back has the digest ${copied}, and what was copied ${expected}. Keep the first storage, let nobody write to either, and copy again into an empty one.`,
    );
  const moved = yield* Effect.filter(source.runs, ({ lastSeq, record }) =>
    from.journal.read(record.runId, { beforeSeq: Number.MAX_SAFE_INTEGER, limit: 1 }).pipe(
      Effect.mapError(classifyStorage),
      Effect.map((page) => page.lastSeq !== lastSeq),
    ),
  );
  const [first] = moved;
  if (first !== undefined || (yield* Inventory.recordsOf(from)).length !== recordCount(source))
    return yield* fatal(
      "storage.copy_unverified",
      `The first storage changed while it was copied${first === undefined ? "" : ` (run ${first.record.runId})`}. Copy again when nobody works in it.`,
    );
});

const recordCount = ({ damaged, runs }: Inventory.Inventory): number =>
  runs.length + damaged.filter(({ kind }) => kind === "run").length;

/** What `found` has of the things that `named` names. */
const only = (found: Inventory.Inventory, named: Inventory.Inventory): Missing => {
  const runs = new Set(named.runs.map(({ record }) => record.runId));
  const blobs = new Set(named.blobs.map(({ scope, sha256 }) => `${scope}/${sha256}`));
  const documents = new Set(named.documents.map(({ collection, id }) => `${collection}/${id}`));
  return {
    runs: found.runs.filter(({ record }) => runs.has(record.runId)),
    blobs: found.blobs.filter(({ scope, sha256 }) => blobs.has(`${scope}/${sha256}`)),
    documents: found.documents.filter(({ collection, id }) => documents.has(`${collection}/${id}`)),
  };
};

/** Trees for people are made of the journals once everything is there; that one cannot be made takes nothing from the copy. */
const showTrees = Effect.fnUntraced(function* (
  { blobs, journal, mirror }: StorageSet,
  runs: ReadonlyArray<Inventory.RunItem>,
): Effect.fn.Return<ReadonlyArray<RunId>> {
  if (mirror === undefined) return [];
  const made = yield* Effect.forEach(runs, ({ record }) =>
    mirrorRun(record.runId).pipe(
      Effect.as<ReadonlyArray<RunId>>([]),
      Effect.catch((failure) =>
        Effect.as(Effect.logWarning(`The readable tree of ${record.runId} is not whole: ${failure.message}`), [
          record.runId,
        ]),
      ),
      Effect.provideService(RunJournal, journal),
      Effect.provideService(BlobStore, blobs),
      Effect.provideService(RunMirror, mirror),
    ),
  );
  return made.flat();
});
