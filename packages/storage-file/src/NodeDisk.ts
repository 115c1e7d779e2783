/**
 * The disk of this machine, through `node:fs`.
 *
 * Owns open flags and change notification. Does not own what is stored, nor the order of operations.
 */
import * as fs from "node:fs";
import * as Disk from "./Disk.ts";

/** The disk of this machine. Its only state is how the last sync went. */
export const make = (): Disk.Disk => {
  const syncs = makeSyncs();
  return {
    open: (path, mode) => fs.openSync(path, flags[mode], 0o644),
    close: fs.closeSync,
    stat: (descriptor) => {
      const stat = fs.fstatSync(descriptor);
      return { size: stat.size, identity: identityOf(stat), links: stat.nlink };
    },
    read: (descriptor, target, position) => fs.readSync(descriptor, target, 0, target.length, position),
    write: (descriptor, bytes) => fs.writeSync(descriptor, bytes),
    writeAt: (descriptor, bytes, position) => fs.writeSync(descriptor, bytes, 0, bytes.length, position),
    endOfLastWrite,
    truncate: fs.ftruncateSync,
    syncData: syncs.data,
    syncDirectory: syncs.directory,
    entry: (path) => {
      const stat = fs.lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined) return undefined;
      return { kind: kindOf(stat), identity: identityOf(stat), size: stat.size, modified: stat.mtimeMs };
    },
    names: (path) => fs.readdirSync(path),
    makeDirectory: (path) => {
      fs.mkdirSync(path);
    },
    removeDirectory: (path) => fs.rmdirSync(path),
    rename: fs.renameSync,
    link: fs.linkSync,
    unlink: fs.unlinkSync,
    watch,
    later: (milliseconds, done) => {
      setTimeout(done, milliseconds);
    },
  };
};

/** A sync that takes less than this may hold the event loop up; the thread pool would cost more than it saves. */
const briefMilliseconds = 1;

/**
 * Syncs on the thread pool, except while they come one after the other and are brief: two threads that hand a sync to
 * each other spend more processor time than the sync. With several at once the pool makes them side by side, and writers
 * group what waits meanwhile. Of files it counts whether the same one was synced before, of directories it does not:
 * each is synced seldom.
 */
const makeSyncs = (): { readonly data: Disk.Disk["syncData"]; readonly directory: Disk.Disk["syncDirectory"] } => {
  const last = { descriptor: -1, data: Number.POSITIVE_INFINITY, directory: Number.POSITIVE_INFINITY, underWay: 0 };
  const onPool = (kind: "data" | "directory", start: (done: Disk.Done) => void, done: Disk.Done): void => {
    const startedAt = performance.now();
    last.underWay += 1;
    start((error) => {
      last.underWay -= 1;
      last[kind] = performance.now() - startedAt;
      done(error);
    });
  };
  const inPlace = (kind: "data" | "directory", run: () => void, done: Disk.Done): void => {
    const startedAt = performance.now();
    const error = attempt(run);
    last[kind] = performance.now() - startedAt;
    done(error);
  };
  const isBrief = (kind: "data" | "directory"): boolean => last.underWay === 0 && last[kind] < briefMilliseconds;
  return {
    data: (descriptor, done) => {
      const isSame = last.descriptor === descriptor;
      last.descriptor = descriptor;
      if (isSame && isBrief("data")) return inPlace("data", () => fs.fdatasyncSync(descriptor), done);
      onPool("data", (end) => fs.fdatasync(descriptor, end), done);
    },
    directory: (path, done) => {
      if (isBrief("directory")) return inPlace("directory", () => syncDirectoryNow(path), done);
      onPool("directory", (end) => syncDirectory(path, end), done);
    },
  };
};

const syncDirectoryNow = (path: string): void => {
  const descriptor = fs.openSync(path, O_RDONLY);
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
};

const attempt = (run: () => void): NodeJS.ErrnoException | null => {
  try {
    run();
    return null;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
};

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR } = fs.constants;

/** Windows has no `O_NOFOLLOW`. `append` is readable too, because `endOfLastWrite` reads. */
const noFollow = O_NOFOLLOW ?? 0;
const flags: Record<Disk.OpenMode, number> = {
  read: O_RDONLY | noFollow,
  append: O_RDWR | O_APPEND | noFollow,
  update: O_RDWR | noFollow,
  create: O_RDWR | O_CREAT | O_EXCL | noFollow,
};

const pollMilliseconds = 400;

const kindOf = (stat: fs.Stats): Disk.Entry["kind"] => {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "directory";
  return stat.isSymbolicLink() ? "symlink" : "other";
};

/** An inode number alone is given to the next file as soon as it is free. */
const identityOf = (stat: fs.Stats): string => `${stat.ino}.${stat.birthtimeMs}`;

/** A write in append mode leaves the descriptor's own position behind it, and a read without position starts there. */
const endOfLastWrite = (descriptor: number): number => {
  const scratch = new Uint8Array(65_536);
  for (let skipped = 0; ;) {
    const size = fs.fstatSync(descriptor).size;
    const count = fs.readSync(descriptor, scratch, 0, scratch.length, null);
    skipped += count;
    if (count === 0 && fs.fstatSync(descriptor).size === size) return size - skipped;
  }
};

const syncDirectory = (path: string, done: Disk.Done): void => {
  fs.open(path, O_RDONLY, (failed, descriptor) => {
    if (failed !== null) return done(failed);
    fs.fsync(descriptor, (error) => fs.close(descriptor, (unclosed) => done(error ?? unclosed ?? null)));
  });
};

/** Notification is not to be had everywhere (network disks, exhausted watches), so a slow poll stands behind it. */
const watch = (path: string, changed: () => void): (() => void) => {
  const listener = (): void => changed();
  fs.watchFile(path, { interval: pollMilliseconds }, listener);
  const watcher = tryWatch(path, changed);
  return () => {
    fs.unwatchFile(path, listener);
    watcher?.close();
  };
};

const tryWatch = (path: string, changed: () => void): fs.FSWatcher | undefined => {
  try {
    const watcher = fs.watch(path, () => changed());
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch (error) {
    if (Disk.codeOf(error) === undefined) throw error;
    return undefined;
  }
};
