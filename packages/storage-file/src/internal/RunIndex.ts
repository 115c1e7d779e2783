/**
 * The records of all runs: `agent-workspaces/index/runs/<runId>.json`.
 *
 * Owns that a run exists once, and the order of the list. Does not own journals: a run exists when its record does,
 * which is written after its journal was made and removed after it is gone. A release whose files of a run have another
 * form says so in the record's field `form`, which this one has not: it then leaves the run alone.
 */
import type { RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { ListOptions, RunRecord } from "@cahier/ports/RunJournal";
import { NotFound, Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as nodePath from "node:path";
import type * as Disk from "../Disk.ts";
import * as Fault from "./fault.ts";
import * as Files from "./Files.ts";
import type { Folders } from "./Folders.ts";
import * as RunLayout from "./RunLayout.ts";

/** `restored` is there when the run came from another storage: its journal may still have the name that it was made under. */
export interface Entry {
  readonly record: RunRecord;
  readonly restored?: Restored;
}

/** The name of a journal in the making beside the run's journal, and the epoch of its last event. */
export interface Restored {
  readonly name: string;
  readonly epoch: number;
}

export interface RunIndex {
  readonly has: (runId: RunId) => Effect.Effect<boolean, Unavailable>;
  readonly find: (runId: RunId) => Effect.Effect<Entry, NotFound | Unavailable>;
  /** Durable when it returns; false when the run is there already. */
  readonly add: (entry: Entry) => Effect.Effect<boolean, Unavailable>;
  /** Durable when it returns. */
  readonly remove: (runId: RunId) => Effect.Effect<void, Unavailable>;
  /** Newest first; a record that cannot be read is left out. */
  readonly list: (options?: ListOptions) => Effect.Effect<ReadonlyArray<RunRecord>, Unavailable>;
}

export const make = (disk: Disk.Disk, folders: Folders): RunIndex => {
  // Records never change, so what was read once stays true as long as the same file is there.
  const cache = new Map<string, { readonly identity: string; readonly found: Entry }>();

  const fileOf = (runId: string): string => nodePath.join(folders.verify(RunLayout.indexFolder), `${runId}.json`);

  const load = (runId: string): Entry | "damaged" | "newer" => {
    const path = fileOf(runId);
    const entry = disk.entry(path);
    if (entry === undefined) return "damaged";
    const cached = cache.get(runId);
    if (cached?.identity === entry.identity) return cached.found;
    const found = parse(Files.read(disk, path).toString("utf8"), runId);
    if (typeof found === "object") cache.set(runId, { identity: entry.identity, found });
    return found;
  };

  const has = (runId: RunId) =>
    Fault.attempt("journal.find", () => Fault.orAbsent(() => disk.entry(fileOf(runId)) !== undefined, false));

  const find = Effect.fnUntraced(function* (runId: RunId) {
    if (!RunLayout.isSegment(runId) || !(yield* has(runId))) return yield* new NotFound({ entity: "run", id: runId });
    const found = yield* Fault.attempt("journal.find", () => Fault.orAbsent(() => load(runId), "damaged"));
    if (typeof found === "object") return found;
    const detail =
      found === "newer"
        ? `the files of ${runId} have a form that this release does not know: use the release that wrote them, or a newer one`
        : `the record of ${runId} in the index of runs is damaged`;
    return yield* new Unavailable({ operation: "journal.find", kind: "other", detail });
  });

  const add = Effect.fnUntraced(function* ({ record, restored }: Entry) {
    const operation = restored === undefined ? "journal.create" : "journal.restore";
    const folder = yield* folders.makeDurable(RunLayout.indexFolder);
    const { createdAt, runId, workspaceId } = record;
    const bytes = Buffer.from(`${JSON.stringify({ runId, workspaceId, createdAt, restored })}\n`);
    const temporary = yield* Files.writeTemporaryDurable(disk, folder, bytes, operation);
    const added = yield* Fault.attempt(operation, () =>
      disk.link(temporary, nodePath.join(folder, `${runId}.json`)),
    ).pipe(
      Effect.as(true),
      Effect.catchIf(Fault.isTaken, () => Effect.succeed(false)),
      Effect.ensuring(Effect.sync(() => Files.discard(disk, temporary))),
    );
    yield* Fault.attemptAsync(operation, (done) => disk.syncDirectory(folder, done));
    return added;
  });

  const remove = Effect.fnUntraced(function* (runId: RunId) {
    const operation = "journal.remove";
    const folder = folders.path(RunLayout.indexFolder);
    yield* Fault.attempt(operation, () => Files.removeIfThere(disk, fileOf(runId)));
    yield* Fault.attemptAsync(operation, (done) => disk.syncDirectory(folder, done));
    cache.delete(runId);
  });

  const list = Effect.fn("FileRunJournal.list")(function* (options: ListOptions = {}) {
    const { before, workspaceId } = options;
    const limit = Math.min(200, Math.max(1, Math.trunc(options.limit ?? 50)));
    const records = yield* Fault.attempt("journal.list", () => {
      const names = Fault.orAbsent(() => disk.names(folders.verify(RunLayout.indexFolder)), []);
      return names.flatMap((name) => {
        const runId = runIdOf(name);
        const found = runId === undefined ? undefined : Fault.orAbsent(() => load(runId), undefined);
        return typeof found === "object" ? [found.record] : [];
      });
    });
    return records
      .filter((record) => workspaceId === undefined || record.workspaceId === workspaceId)
      .filter((record) => before === undefined || newestFirst(before, record) < 0)
      .toSorted(newestFirst)
      .slice(0, limit);
  });

  return { has, find, add, remove, list };
};

type Place = Pick<RunRecord, "createdAt" | "runId">;

const newestFirst = (left: Place, right: Place): number =>
  descending(left.createdAt, right.createdAt) || descending(left.runId, right.runId);

const descending = (left: string, right: string): number => {
  if (left === right) return 0;
  return left > right ? -1 : 1;
};

const runIdOf = (name: string): string | undefined => {
  const runId = name.endsWith(".json") ? name.slice(0, -".json".length) : "";
  return RunLayout.isSegment(runId) ? runId : undefined;
};

const parse = (text: string, runId: string): Entry | "damaged" | "newer" => {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || value.runId !== runId) return "damaged";
    const { createdAt, restored, workspaceId } = value;
    if ("form" in value) return "newer";
    const record = { runId: value.runId, workspaceId, createdAt };
    if (restored === undefined) return { record };
    return isRestored(restored) ? { record, restored } : "damaged";
  } catch {
    return "damaged";
  }
};

const isRecord = (value: unknown): value is RunRecord & { readonly restored?: unknown } =>
  typeof value === "object" &&
  value !== null &&
  "runId" in value &&
  "workspaceId" in value &&
  "createdAt" in value &&
  typeof value.createdAt === "string" &&
  isId(value.runId) &&
  isId(value.workspaceId);

const isRestored = (value: unknown): value is Restored =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  "epoch" in value &&
  typeof value.name === "string" &&
  RunLayout.isRestoring(value.name) &&
  Number.isSafeInteger(value.epoch);

const isId = (value: unknown): value is RunId & WorkspaceId => typeof value === "string" && RunLayout.isSegment(value);
