/**
 * A disk that is full, that does not sync, that tears a write or is slow, over any disk of the form that file adapters are
 * built on.
 *
 * Owns counting what takes room and what is synced, and the chosen fault. Does not own files. What a disk forgets at a loss
 * of power is another double's: this one keeps what it took.
 */

/** What the double needs of a disk. An operation throws, or is done with, an `Error` whose `code` is the POSIX name. */
export interface WritingDisk {
  readonly open: (path: string, mode: never) => number;
  readonly write: (descriptor: number, bytes: Uint8Array) => number;
  readonly writeAt: (descriptor: number, bytes: Uint8Array, position: number) => number;
  readonly makeDirectory: (path: string) => void;
  readonly link: (from: string, to: string) => void;
  readonly syncData: (descriptor: number, done: Done) => void;
  readonly syncDirectory: (path: string, done: Done) => void;
  readonly later: (milliseconds: number, done: () => void) => void;
}

type Done = (error: Error | null) => void;

/**
 * Operations are counted from 1, over all files, those that take room and those that sync each for themselves. `Full`: from
 * `at` on nothing takes room any more; of a write that would, the first half is taken. `Torn`: write `at` takes half its
 * bytes and fails, once. `SyncFails`: sync `at` fails, once. `Slow`: every sync is done so many milliseconds later.
 */
export type Fault =
  | { readonly _tag: "Full"; readonly at: number }
  | { readonly _tag: "Torn"; readonly at: number }
  | { readonly _tag: "SyncFails"; readonly at: number }
  | { readonly _tag: "Slow"; readonly milliseconds: number };

export interface FaultyDisk<D> {
  readonly disk: D;
  /** How many operations took room so far, and how many synced. */
  readonly counts: () => { readonly writes: number; readonly syncs: number };
  /** Sets the fault from now on; null makes room and mends everything. */
  readonly set: (fault: Fault | null) => void;
}

/** `disk` with a fault that can be changed while it is used; without one at first. */
export const make = <D extends WritingDisk>(disk: D): FaultyDisk<D> => {
  const counts = { writes: 0, syncs: 0 };
  const present: { fault: Fault | null } = { fault: null };

  const isFull = (): boolean => present.fault?._tag === "Full" && counts.writes >= present.fault.at;

  /** Counts one operation that takes room, and refuses it where there is none. */
  const take = (path: string): void => {
    counts.writes += 1;
    if (isFull()) throw failure("ENOSPC", path);
  };

  /** A write to a full disk takes what there is room for; the next one takes nothing. */
  const written = (bytes: Uint8Array, write: (part: Uint8Array) => number): number => {
    counts.writes += 1;
    const { fault } = present;
    const half = bytes.subarray(0, bytes.length >> 1);
    if (fault?._tag === "Torn" && counts.writes === fault.at) {
      write(half);
      throw failure("EIO", "a file");
    }
    if (!isFull()) return write(bytes);
    if (fault?._tag !== "Full" || counts.writes > fault.at || half.length === 0) throw failure("ENOSPC", "a file");
    return write(half);
  };

  const synced = (sync: (done: Done) => void, done: Done): void => {
    counts.syncs += 1;
    const { fault } = present;
    if (fault?._tag === "SyncFails" && counts.syncs === fault.at) return done(failure("EIO", "a sync"));
    if (fault?._tag === "Slow") return disk.later(fault.milliseconds, () => sync(done));
    return sync(done);
  };

  return {
    disk: {
      ...disk,
      open: (path: string, mode: never) => {
        if (mode === "create") take(path);
        return disk.open(path, mode);
      },
      write: (descriptor: number, bytes: Uint8Array) => written(bytes, (part) => disk.write(descriptor, part)),
      writeAt: (descriptor: number, bytes: Uint8Array, position: number) =>
        written(bytes, (part) => disk.writeAt(descriptor, part, position)),
      makeDirectory: (path: string) => {
        take(path);
        disk.makeDirectory(path);
      },
      link: (from: string, to: string) => {
        take(to);
        disk.link(from, to);
      },
      syncData: (descriptor: number, done: Done) => synced((after) => disk.syncData(descriptor, after), done),
      syncDirectory: (path: string, done: Done) => synced((after) => disk.syncDirectory(path, after), done),
    },
    counts: () => ({ ...counts }),
    set: (fault) => {
      present.fault = fault;
    },
  };
};

/** An error as a disk throws it. */
const failure = (code: string, path: string): Error => Object.assign(new Error(`${code}: ${path}`), { code, path });
