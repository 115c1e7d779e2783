/**
 * A workspace view as files of a folder of the host, for a shell that is a program of the host.
 *
 * Owns what goes in and what has changed when the command is over. Does not own who may write where.
 */
import type { ShellChange, ShellRequest } from "@cahier/ports/Shell";
import * as fs from "node:fs";
import * as nodePath from "node:path";

/** The user that a folder is given to; null: it stays whose it is. */
export type Owner = { readonly uid: number; readonly gid: number } | null;

/** Writes what the request shows below a folder that is there and empty. */
export const write = (folder: string, request: ShellRequest, owner: Owner): void => {
  const made = new Set([folder]);
  const makeFolder = (path: string): void => {
    if (made.has(path)) return;
    makeFolder(nodePath.dirname(path));
    fs.mkdirSync(path);
    give(path, owner);
    made.add(path);
  };
  for (const path of [...request.folders, ...request.writableRoots]) makeFolder(nodePath.join(folder, path));
  for (const { bytes, path } of request.files) {
    const target = nodePath.join(folder, path);
    makeFolder(nodePath.dirname(target));
    fs.writeFileSync(target, bytes);
    give(target, owner);
  }
};

/** `links` are no files and are not kept. */
export interface Found {
  readonly changes: ReadonlyArray<ShellChange>;
  readonly links: ReadonlyArray<string>;
}

/** Why nothing was read: there is more than the limits allow, or a part of it lies too deep or is closed. */
export type GaveUp = "tooMuch" | "unreadable";

/** What differs from the request, when nothing writes there any more. Nothing at all is read where it gives up. */
export const read = (folder: string, request: ShellRequest): Found | GaveUp => {
  try {
    return readAll(folder, request);
  } catch (error) {
    if (isRefusal(error)) return "unreadable";
    throw error;
  }
};

/** The operating system's own refusal of a path. */
export const isRefusal = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error && "code" in error;

const readAll = (folder: string, request: ShellRequest): Found | GaveUp => {
  const before = new Map(request.files.map(({ bytes, path }) => [path, bytes]));
  const found = { files: [] as Array<string>, links: [] as Array<string>, count: new Count(request) };
  const walk = (path: string): void => {
    for (const entry of fs.readdirSync(nodePath.join(folder, path), { withFileTypes: true })) {
      if (found.count.isOver) return;
      const inner = `${path}/${entry.name}`;
      if (entry.isSymbolicLink()) found.links.push(inner);
      if (entry.isDirectory()) {
        found.count.addFolder(inner);
        if (!found.count.isOver) walk(inner);
      }
      if (!entry.isFile()) continue;
      found.files.push(inner);
      found.count.addFile(fs.lstatSync(nodePath.join(folder, inner)).size);
    }
  };
  for (const root of request.writableRoots) walk(root);
  if (found.count.isTooDeep) return "unreadable";
  if (found.count.isOver) return "tooMuch";
  const after = new Map(found.files.map((path) => [path, fs.readFileSync(nodePath.join(folder, path))]));
  const written = [...after].flatMap(([path, bytes]) => {
    const old = before.get(path);
    return old !== undefined && Buffer.compare(bytes, old) === 0 ? [] : [{ path, bytes: Uint8Array.from(bytes) }];
  });
  const gone = [...before.keys()]
    .filter((path) => !after.has(path) && request.writableRoots.some((root) => path.startsWith(`${root}/`)))
    .map((path) => ({ path, bytes: null }));
  return { changes: [...written, ...gone].toSorted((a, b) => (a.path < b.path ? -1 : 1)), links: found.links };
};

/** The longest path of a folder that is looked into, in characters: a longer one costs more with each folder in it. */
const longestPath = 1_024;

/** Counts what is found below the writable folders against the limits of a request. */
export class Count {
  readonly #limits: ShellRequest["limits"];
  readonly #shown: ReadonlySet<string>;
  #files = 0;
  #folders = 0;
  #bytes = 0;
  #isTooDeep = false;

  constructor({ files, folders, limits, writableRoots }: ShellRequest) {
    this.#limits = limits;
    const paths = [...folders, ...writableRoots, ...files.map(({ path }) => nodePath.posix.dirname(path))];
    this.#shown = new Set(paths.flatMap((path) => path.split("/").map((_, at, all) => all.slice(0, at + 1).join("/"))));
  }

  /** Of files there may be `limits.files`, and as many folders beside those that the request shows. */
  get isOver(): boolean {
    const { bytes, files } = this.#limits;
    return this.isTooDeep || this.#files > files || this.#folders > files || this.#bytes > bytes;
  }

  get isTooDeep(): boolean {
    return this.#isTooDeep;
  }

  addFile(bytes: number): void {
    this.#files += 1;
    this.#bytes += bytes;
  }

  addFolder(path: string): void {
    if (path.length > longestPath) this.#isTooDeep = true;
    if (!this.#shown.has(path)) this.#folders += 1;
  }
}

const give = (path: string, owner: Owner): void => {
  if (owner !== null) fs.chownSync(path, owner.uid, owner.gid);
};
