/**
 * The few file-system operations that the file adapters are built on.
 *
 * Owns the narrow contract between the adapters and a disk, so that a test can put a disk in its place that forgets
 * what was not synced. Does not own paths, formats or the meaning of an error: an operation throws (or calls back with)
 * an `Error` whose `code` is the POSIX name (`ENOENT`, `EEXIST`, `ENOSPC`, `ELOOP`, ...), and the adapters translate it.
 *
 * No operation follows a symbolic link in the last component of its path.
 */

/** `identity` tells two things that had the same name apart; `modified` is milliseconds since 1970. */
export interface Entry {
  readonly kind: "file" | "directory" | "symlink" | "other";
  readonly identity: string;
  readonly size: number;
  readonly modified: number;
}

/** `links` is 0 when no name leads to the open file any more. */
export interface OpenStat {
  readonly size: number;
  readonly identity: string;
  readonly links: number;
}

/**
 * `read` opens an existing file; `append` opens an existing file whose writes go to its end, wherever that is by then;
 * `update` opens an existing file for writing at positions; `create` makes a file and fails with `EEXIST` if the name
 * is taken.
 */
export type OpenMode = "read" | "append" | "update" | "create";

/** Called once; a disk that is done at once may call it before the call that it was given to returns. */
export type Done = (error: Error | null) => void;

export interface Disk {
  readonly open: (path: string, mode: OpenMode) => number;
  readonly close: (descriptor: number) => void;
  readonly stat: (descriptor: number) => OpenStat;
  /** Reads into `target` from `position`; gives the number of bytes read, 0 at the end of the file. */
  readonly read: (descriptor: number, target: Uint8Array, position: number) => number;
  /** One write, at the end in mode `append`, else after the previous one; gives the number of bytes written. */
  readonly write: (descriptor: number, bytes: Uint8Array) => number;
  /** One write at `position`; mode `update` only. */
  readonly writeAt: (descriptor: number, bytes: Uint8Array, position: number) => number;
  /** The offset just behind the last write through this descriptor; mode `append` only. Not for hot paths. */
  readonly endOfLastWrite: (descriptor: number) => number;
  readonly truncate: (descriptor: number, size: number) => void;
  /** Makes the bytes and the size of an open file durable. */
  readonly syncData: (descriptor: number, done: Done) => void;
  /** Makes the names in a directory durable: what was created, renamed and removed there. */
  readonly syncDirectory: (path: string, done: Done) => void;
  /** What the name leads to, itself and not what it points to; undefined when there is nothing. */
  readonly entry: (path: string) => Entry | undefined;
  /** The names in a directory, in no order. */
  readonly names: (path: string) => ReadonlyArray<string>;
  readonly makeDirectory: (path: string) => void;
  readonly removeDirectory: (path: string) => void;
  /** Moves a file, replacing the one that has the name, at once for every reader. */
  readonly rename: (from: string, to: string) => void;
  /** Gives a file a second name; fails with `EEXIST` if it is taken. */
  readonly link: (from: string, to: string) => void;
  readonly unlink: (path: string) => void;
  /** Calls back some time after the file may have changed, at the latest half a second after; gives the way to stop. */
  readonly watch: (path: string, changed: () => void) => () => void;
  /** Calls back after about so many milliseconds. */
  readonly later: (milliseconds: number, done: () => void) => void;
}

/** The POSIX name of what went wrong, or undefined for an error that no disk makes. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** An error as a disk throws it. */
export const failure = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code, path });
