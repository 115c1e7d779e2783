/**
 * A file system in memory that forgets what was not synced.
 *
 * Owns the difference between what programs see and what a loss of power leaves: the bytes of a file without a data
 * sync, and the names in a directory that was not synced. Does not own symbolic links and permissions: tests of those
 * use a real disk.
 */
import * as Disk from "@cahier/storage-file/Disk";
import * as nodePath from "node:path";

/**
 * What a loss of power leaves of what was not synced: nothing; the first half of new bytes; their second half, behind
 * zeros; or all new bytes, but with the size that a file had before it was made shorter.
 */
export type Remainder = "nothing" | "beginning" | "zeros" | "oldSize";

export interface ForgetfulDisk extends Disk.Disk {
  /** Forgets what is not durable, and works again after a failure. Descriptors opened before are dead. */
  readonly powerLoss: (remainder?: Remainder) => void;
  /** From the n-th changing operation on (counted from 1, from now) every operation fails. */
  readonly failFrom: (operation: number, code?: string) => void;
  /** How many changing operations there were since `failFrom` or the beginning. */
  readonly operations: () => number;
  /** Lets the next operation of this name fail; `shortBy` makes a write short instead. */
  readonly failNext: (name: "write" | "syncData", fault: { readonly code?: string; readonly shortBy?: number }) => void;
  /** The bytes of a file as programs see them. */
  readonly bytesOf: (path: string) => Uint8Array;
  /** Changes the bytes of a file, durably and without a write. */
  readonly setBytes: (path: string, bytes: Uint8Array) => void;
  /** All paths of files, in order. */
  readonly files: () => ReadonlyArray<string>;
}

export const make = (): ForgetfulDisk => {
  let nextIdentity = 1;
  let generation = 0;
  let count = 0;
  let failing: { readonly from: number; readonly code: string } | undefined;
  const faults = new Map<string, { readonly code?: string; readonly shortBy?: number }>();
  const watchers = new Map<string, Set<() => void>>();
  const newDirectory = (): Directory => ({
    kind: "directory",
    identity: String(nextIdentity++),
    names: new Map(),
    durable: new Map(),
  });
  const newFile = (): File => ({
    kind: "file",
    identity: String(nextIdentity++),
    links: 1,
    bytes: empty,
    durable: empty,
    lost: nothingLost,
    modified: Date.now(),
  });
  const root = newDirectory();
  const descriptors = new Map<number, Descriptor>();
  let nextDescriptor = 3;

  /** Counts a changing operation, and fails it when the power is out. */
  const step = (path: string): void => {
    count += 1;
    if (failing !== undefined && count >= failing.from) throw Disk.failure(failing.code, path);
  };
  const powered = (path: string): void => {
    if (failing !== undefined && count >= failing.from) throw Disk.failure(failing.code, path);
  };

  const find = (path: string): Node | undefined =>
    path
      .split("/")
      .filter((name) => name !== "")
      .reduce<Node | undefined>((node, name) => (node?.kind === "directory" ? node.names.get(name) : undefined), root);
  const directoryOf = (path: string): Directory => {
    const node = find(path);
    if (node === undefined) throw Disk.failure("ENOENT", path);
    if (node.kind !== "directory") throw Disk.failure("ENOTDIR", path);
    return node;
  };
  const parentOf = (path: string): Directory => directoryOf(nodePath.dirname(path));
  const fileOf = (path: string): File => {
    const node = find(path);
    if (node === undefined) throw Disk.failure("ENOENT", path);
    if (node.kind !== "file") throw Disk.failure("EISDIR", path);
    return node;
  };
  const opened = (descriptor: number): Descriptor => {
    const found = descriptors.get(descriptor);
    if (found === undefined || found.generation !== generation) throw Disk.failure("EBADF", String(descriptor));
    powered(found.path);
    return found;
  };
  const put = (file: File, bytes: Uint8Array, position: number): void => {
    const grown = new Uint8Array(Math.max(file.bytes.length, position + bytes.length));
    grown.set(file.bytes);
    grown.set(bytes, position);
    file.bytes = grown;
    if (position <= file.lost.start && position + bytes.length >= file.lost.end) file.lost = nothingLost;
    file.modified = Date.now();
  };
  const notify = (path: string): void => {
    for (const watcher of watchers.get(path) ?? []) queueMicrotask(watcher);
  };
  const later = (work: () => void, done: Disk.Done): void => {
    queueMicrotask(() => {
      try {
        work();
      } catch (error) {
        return done(error instanceof Error ? error : new Error(String(error)));
      }
      return done(null);
    });
  };

  return {
    open: (path, mode) => {
      powered(path);
      if (mode === "create") {
        step(path);
        const parent = parentOf(path);
        if (parent.names.has(nodePath.basename(path))) throw Disk.failure("EEXIST", path);
        parent.names.set(nodePath.basename(path), newFile());
      }
      const descriptor = nextDescriptor++;
      descriptors.set(descriptor, { path, file: fileOf(path), mode, generation, end: 0 });
      return descriptor;
    },
    close: (descriptor) => {
      if (!descriptors.delete(descriptor)) throw Disk.failure("EBADF", String(descriptor));
    },
    stat: (descriptor) => {
      const { file } = opened(descriptor);
      return { size: file.bytes.length, identity: file.identity, links: file.links };
    },
    read: (descriptor, target, position) => {
      const { file } = opened(descriptor);
      const part = file.bytes.subarray(position, position + target.length);
      target.set(part);
      return part.length;
    },
    write: (descriptor, bytes) => {
      const open = opened(descriptor);
      step(open.path);
      const fault = faults.get("write");
      faults.delete("write");
      if (fault?.code !== undefined) throw Disk.failure(fault.code, open.path);
      const part = bytes.subarray(0, bytes.length - (fault?.shortBy ?? 0));
      const position = open.mode === "append" ? open.file.bytes.length : open.end;
      put(open.file, part, position);
      open.end = position + part.length;
      notify(open.path);
      return part.length;
    },
    writeAt: (descriptor, bytes, position) => {
      const open = opened(descriptor);
      step(open.path);
      put(open.file, bytes, position);
      return bytes.length;
    },
    endOfLastWrite: (descriptor) => opened(descriptor).end,
    truncate: (descriptor, size) => {
      const { file, path } = opened(descriptor);
      step(path);
      file.bytes = file.bytes.slice(0, size);
    },
    syncData: (descriptor, done) =>
      later(() => {
        const { file, path } = opened(descriptor);
        step(path);
        const fault = faults.get("syncData");
        faults.delete("syncData");
        if (fault?.code !== undefined) {
          file.lost = { start: file.durable.length, end: file.bytes.length };
          throw Disk.failure(fault.code, path);
        }
        file.durable = file.bytes.slice();
        file.durable.fill(0, file.lost.start, file.lost.end);
      }, done),
    syncDirectory: (path, done) =>
      later(() => {
        step(path);
        const directory = directoryOf(path);
        directory.durable = new Map(directory.names);
      }, done),
    entry: (path) => {
      powered(path);
      const node = find(path);
      if (node === undefined) return undefined;
      const { identity, kind } = node;
      if (node.kind === "directory") return { kind, identity, size: 0, modified: 0 };
      return { kind, identity, size: node.bytes.length, modified: node.modified };
    },
    names: (path) => {
      powered(path);
      return [...directoryOf(path).names.keys()];
    },
    makeDirectory: (path) => {
      step(path);
      const parent = parentOf(path);
      if (parent.names.has(nodePath.basename(path))) throw Disk.failure("EEXIST", path);
      parent.names.set(nodePath.basename(path), newDirectory());
    },
    removeDirectory: (path) => {
      step(path);
      if (directoryOf(path).names.size > 0) throw Disk.failure("ENOTEMPTY", path);
      parentOf(path).names.delete(nodePath.basename(path));
    },
    rename: (from, to) => {
      step(from);
      const file = fileOf(from);
      const replaced = find(to);
      if (replaced?.kind === "directory") throw Disk.failure("EISDIR", to);
      if (replaced !== undefined) replaced.links -= 1;
      parentOf(from).names.delete(nodePath.basename(from));
      parentOf(to).names.set(nodePath.basename(to), file);
    },
    link: (from, to) => {
      step(from);
      const file = fileOf(from);
      if (find(to) !== undefined) throw Disk.failure("EEXIST", to);
      parentOf(to).names.set(nodePath.basename(to), file);
      file.links += 1;
    },
    unlink: (path) => {
      step(path);
      fileOf(path).links -= 1;
      parentOf(path).names.delete(nodePath.basename(path));
    },
    watch: (path, changed) => {
      fileOf(path);
      const set = watchers.get(path) ?? new Set();
      watchers.set(path, set.add(changed));
      return () => {
        set.delete(changed);
      };
    },
    later: (_milliseconds, done) => queueMicrotask(done),
    powerLoss: (remainder = "nothing") => {
      failing = undefined;
      faults.clear();
      generation += 1;
      descriptors.clear();
      forget(root, remainder);
    },
    failFrom: (operation, code = "EIO") => {
      count = 0;
      failing = { from: operation, code };
    },
    operations: () => count,
    failNext: (name, fault) => {
      faults.set(name, fault);
    },
    bytesOf: (path) => fileOf(path).bytes,
    setBytes: (path, bytes) => {
      const file = fileOf(path);
      file.bytes = bytes;
      file.durable = bytes;
      notify(path);
    },
    files: () => filesBelow(root, "").toSorted(),
  };
};

interface File {
  readonly kind: "file";
  readonly identity: string;
  links: number;
  bytes: Uint8Array;
  durable: Uint8Array;
  /** Bytes that a failed sync took for written, so that no later one writes them unless they are written again. */
  lost: { readonly start: number; readonly end: number };
  modified: number;
}

interface Directory {
  readonly kind: "directory";
  readonly identity: string;
  names: Map<string, Node>;
  durable: Map<string, Node>;
}

type Node = File | Directory;

interface Descriptor {
  readonly path: string;
  readonly file: File;
  readonly mode: Disk.OpenMode;
  readonly generation: number;
  end: number;
}

const empty = new Uint8Array(0);
const nothingLost = { start: 0, end: 0 };

const forget = (directory: Directory, remainder: Remainder): void => {
  directory.names = new Map(directory.durable);
  for (const node of directory.names.values()) {
    if (node.kind === "directory") forget(node, remainder);
    else {
      node.bytes = remains(node, remainder);
      node.durable = node.bytes;
      node.lost = nothingLost;
    }
  }
};

/** A disk may have written some of what nobody asked it to keep; bytes that were synced are always there. */
const remains = ({ bytes, durable }: File, remainder: Remainder): Uint8Array => {
  if (remainder === "oldSize") return Buffer.concat([bytes, durable.subarray(bytes.length)]);
  if (remainder === "nothing" || bytes.length <= durable.length) return durable;
  const half = durable.length + Math.ceil((bytes.length - durable.length) / 2);
  if (remainder === "beginning") return bytes.slice(0, half);
  const holed = bytes.slice();
  holed.fill(0, durable.length, half);
  return holed;
};

const filesBelow = (directory: Directory, path: string): ReadonlyArray<string> =>
  [...directory.names].flatMap(([name, node]) =>
    node.kind === "directory" ? filesBelow(node, `${path}/${name}`) : [`${path}/${name}`],
  );
