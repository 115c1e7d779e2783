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

/** `files` and `bytes` are of all files below the writable folders; `links` are no files. */
export interface Found {
  readonly changes: ReadonlyArray<ShellChange>;
  readonly files: number;
  readonly bytes: number;
  readonly links: ReadonlyArray<string>;
}

/** What differs from the request; null when there is more than the limits allow, of which nothing is read. */
export const read = (folder: string, request: ShellRequest): Found | null => {
  const before = new Map(request.files.map(({ bytes, path }) => [path, bytes]));
  const found = { files: [] as Array<string>, links: [] as Array<string>, bytes: 0 };
  const { limits } = request;
  const isTooMuch = (): boolean => found.files.length > limits.files || found.bytes > limits.bytes;
  const walk = (path: string): void => {
    for (const entry of fs.readdirSync(nodePath.join(folder, path), { withFileTypes: true })) {
      if (isTooMuch()) return;
      const inner = path === "" ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) walk(inner);
      if (entry.isSymbolicLink()) found.links.push(inner);
      if (!entry.isFile()) continue;
      found.files.push(inner);
      found.bytes += fs.lstatSync(nodePath.join(folder, inner)).size;
    }
  };
  for (const root of request.writableRoots) walk(root);
  if (isTooMuch()) return null;
  const after = new Map(found.files.map((path) => [path, fs.readFileSync(nodePath.join(folder, path))]));
  const written = [...after].flatMap(([path, bytes]) => {
    const old = before.get(path);
    return old !== undefined && Buffer.compare(bytes, old) === 0 ? [] : [{ path, bytes: Uint8Array.from(bytes) }];
  });
  const gone = [...before.keys()]
    .filter((path) => !after.has(path) && request.writableRoots.some((root) => path.startsWith(`${root}/`)))
    .map((path) => ({ path, bytes: null }));
  return {
    changes: [...written, ...gone].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    files: found.files.length,
    bytes: found.bytes,
    links: found.links,
  };
};

const give = (path: string, owner: Owner): void => {
  if (owner !== null) fs.chownSync(path, owner.uid, owner.gid);
};
