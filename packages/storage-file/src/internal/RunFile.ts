/**
 * One run on disk, as one process holds it: its reader, its writer, its owners and those who follow it.
 *
 * Owns claiming, pages and waking those who follow. Does not own where the run is found.
 */
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";
import type { Page, ReadFault, ReadOptions, RunRecord } from "@cahier/ports/RunJournal";
import type { Conflict, Corrupt, NotFound, Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as nodePath from "node:path";
import type * as Disk from "../Disk.ts";
import * as Fault from "./fault.ts";
import * as Files from "./Files.ts";
import * as Folders from "./Folders.ts";
import * as JournalReader from "./JournalReader.ts";
import * as JournalWriter from "./JournalWriter.ts";
import * as Owners from "./Owners.ts";
import * as RunLayout from "./RunLayout.ts";

/** Says that the journal may have grown since `lower`. */
export interface Signal {
  readonly lower: () => void;
  readonly raised: Effect.Effect<void>;
  readonly stop: () => void;
}

export interface RunFile {
  readonly append: JournalWriter.JournalWriter["append"];
  readonly submit: JournalWriter.JournalWriter["submit"];
  readonly claim: (
    expectedEpoch: number,
    event: NewEvent,
  ) => Effect.Effect<{ readonly epoch: number; readonly lastSeq: number }, Conflict | Corrupt | NotFound | Unavailable>;
  readonly page: (options: ReadOptions) => Effect.Effect<Page, ReadFault>;
  /** Begins to watch the journal, for appends of this process and of others. */
  readonly follow: Effect.Effect<Signal, ReadFault>;
  /** Lets go of what is open for writing. */
  readonly release: Effect.Effect<void, Unavailable>;
  /** True while it holds nothing but what it has read: it can be made anew at any time. */
  readonly isIdle: () => boolean;
  /** Removes the journal's files, durably; the mirrored tree stays. */
  readonly remove: Effect.Effect<void, Unavailable>;
}

export const make = (disk: Disk.Disk, folders: Folders.Folders, record: RunRecord): RunFile => {
  const { runId } = record;
  const segments = RunLayout.runFolder(record.workspaceId, runId);
  const folder = (): string => folders.verify(segments);
  const journal = (): string => nodePath.join(folder(), RunLayout.journalName);
  const ownersFolder = nodePath.join(folders.path(segments), RunLayout.ownersName);
  const reader = JournalReader.make(disk, runId, journal);
  const owners = Owners.make(disk, ownersFolder);
  const followers = new Set<() => void>();
  let unwatch: () => void = () => undefined;
  const changed = (): void => {
    for (const follower of followers) follower();
  };
  const writer = JournalWriter.make({ disk, runId, folder, reader, owners, changed });

  const page = (options: ReadOptions): Effect.Effect<Page, ReadFault> =>
    JournalWriter.orNotFound(
      Fault.attempt("journal.read", () => {
        const { damage, events, point, torn } = reader.select(options);
        const epoch = Math.max(owners.current(), point.epoch);
        return {
          events,
          lastSeq: point.lastSeq,
          epoch,
          droppedTail: torn,
          ...(damage === undefined ? {} : { damage }),
        };
      }),
      runId,
    );

  /** The epoch is taken first; from then on no older owner's append counts that is not there already. */
  const claimInTurn = Effect.fnUntraced(function* (expectedEpoch: number, event: NewEvent) {
    const known = yield* JournalWriter.orNotFound(
      Fault.attempt("journal.claim", () => ({ damage: reader.refresh().damage, epoch: owners.current() })),
      runId,
    );
    if (known.damage !== undefined) return yield* known.damage;
    if (known.epoch !== expectedEpoch) {
      return yield* JournalWriter.conflict("epoch", runId, expectedEpoch, known.epoch);
    }
    const epoch = expectedEpoch + 1;
    if (!(yield* owners.take(epoch))) {
      const actual = yield* Fault.attempt("journal.claim", owners.current);
      return yield* JournalWriter.conflict("epoch", runId, expectedEpoch, actual);
    }
    return { epoch, lastSeq: yield* appendOwner(epoch, event) };
  });

  /** An append of the old owner that was under way may take the sequence number: then the next one is tried. */
  const appendOwner = Effect.fnUntraced(function* (epoch: number, event: NewEvent) {
    for (let attempt = 0; attempt < JournalWriter.attempts; attempt += 1) {
      yield* writer.prepare();
      const expectedSeq = reader.known().point.lastSeq;
      const lastSeq = yield* Effect.catchTags(writer.write({ epoch, expectedSeq }, [event]), {
        Conflict: () => Effect.undefined,
        Fenced: (fault) => Effect.fail(JournalWriter.conflict("epoch", runId, epoch - 1, fault.currentEpoch)),
      });
      if (lastSeq !== undefined) return lastSeq;
    }
    return yield* JournalWriter.unsettled(runId);
  });

  const claim: RunFile["claim"] = (expectedEpoch, event) =>
    writer.exclusive(
      Effect.catchTag(claimInTurn(expectedEpoch, event), "Fenced", (fault) =>
        Effect.fail(JournalWriter.conflict("epoch", runId, expectedEpoch, fault.currentEpoch)),
      ),
    );

  const follow = JournalWriter.orNotFound(
    Fault.attempt("journal.tail", () => {
      // One watch for all who follow.
      if (followers.size === 0) unwatch = disk.watch(journal(), changed);
      return makeSignal(followers, () => {
        if (followers.size === 0) unwatch();
      });
    }),
    runId,
  );

  const release = writer.exclusive(Fault.attempt("journal.release", writer.close));

  const removeFiles = Effect.fnUntraced(function* () {
    const operation = "journal.remove";
    const path = yield* Fault.attempt(operation, () => {
      writer.close();
      return Fault.orAbsent(folder, undefined);
    });
    if (path === undefined) return;
    const hadOwners = yield* Fault.attempt(operation, () => removeOwned(disk, path));
    if (hadOwners) yield* Fault.attemptAsync(operation, (done) => disk.syncDirectory(ownersFolder, done));
    yield* Fault.attempt(operation, () => Folders.removeUnlessFilled(disk, ownersFolder));
    yield* Fault.attemptAsync(operation, (done) => disk.syncDirectory(path, done));
    yield* Fault.attempt(operation, () => Folders.removeUnlessFilled(disk, path));
    changed();
  });

  return {
    append: writer.append,
    submit: writer.submit,
    claim,
    page,
    follow,
    release,
    isIdle: () => followers.size === 0 && writer.isIdle(),
    remove: writer.exclusive(removeFiles()),
  };
};

const makeSignal = (followers: Set<() => void>, stopped: () => void): Signal => {
  let raised = false;
  let waiting: (() => void) | undefined;
  const raise = (): void => {
    raised = true;
    const resume = waiting;
    waiting = undefined;
    resume?.();
  };
  followers.add(raise);
  return {
    lower: () => {
      raised = false;
    },
    raised: Effect.callback((resume) => {
      if (raised) return resume(Effect.void);
      waiting = () => resume(Effect.void);
    }),
    stop: () => {
      followers.delete(raise);
      stopped();
    },
  };
};

/** Removes the journal, what was cut off it and the claims; true when there is a folder of claims. */
const removeOwned = (disk: Disk.Disk, path: string): boolean => {
  const names = disk.names(path).filter(RunLayout.isJournals);
  for (const name of names) if (name !== RunLayout.ownersName) Files.removeIfThere(disk, nodePath.join(path, name));
  if (!names.includes(RunLayout.ownersName)) return false;
  const owners = nodePath.join(path, RunLayout.ownersName);
  for (const name of disk.names(owners)) Files.removeIfThere(disk, nodePath.join(owners, name));
  return true;
};
