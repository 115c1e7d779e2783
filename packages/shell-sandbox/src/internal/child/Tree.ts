/**
 * The files that a command sees, in memory: what there is, what may be written, and how much of it there may be.
 *
 * Owns paths, symbolic links, the read-only rule and the accounting. Does not own the interpreter's file system interface,
 * which `TreeFileSystem` gives it, nor what changed, which `changes` finds. All operations are synchronous.
 */
import type { MakeFileError } from "./fileError.ts";
import * as Nodes from "./Nodes.ts";

/** What a tree has no more room for. */
export type Fullness = "files" | "bytes";

export interface TreeOptions {
  readonly fileError: MakeFileError;
  readonly limits: { readonly files: number; readonly bytes: number };
  /** Called when an operation fails for want of room, before it does. */
  readonly onFull: (what: Fullness) => void;
}

/** A place that a path leads to: `node` is undefined where nothing is there, `real` is free of links. */
export interface Place {
  readonly parent: Nodes.FolderNode | undefined;
  readonly name: string;
  readonly node: Nodes.TreeNode | undefined;
  readonly real: string;
}

/** Files of the interpreter's own to which anything may be written and nothing is kept. */
const devices: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/zero"]);

/** As Linux has it. */
const mostLinks = 40;

export class Tree {
  readonly root: Nodes.FolderNode = Nodes.folder();
  readonly #options: TreeOptions;
  #writable: ReadonlyArray<string> | null = null;
  #nodes = 0;
  #bytes = 0;

  constructor(options: TreeOptions) {
    this.#options = options;
  }

  /** From here on only what is below these folders may be changed. What the limits count begins with what is given. */
  seal(writable: ReadonlyArray<string>, held: { readonly files: number; readonly bytes: number }): void {
    this.#writable = writable;
    this.#nodes = held.files;
    this.#bytes = held.bytes;
  }

  error(code: Parameters<MakeFileError>[0], operation: string, path: string): Error {
    return this.#options.fileError(code, operation, path);
  }

  /** Throws unless every folder on the way is there. Follows the last link only where asked to. */
  find(path: string, operation: string, follow = true): Place {
    return this.#findStraight(path) ?? this.#findByLinks(path, operation, follow);
  }

  /** As nearly every path is, and each of the hundreds that a command begins with: one that names folders that are there. */
  #findStraight(path: string): Place | undefined {
    if (!path.startsWith("/")) return undefined;
    let parent = this.root;
    for (let start = 1; ;) {
      const end = path.indexOf("/", start);
      const name = end === -1 ? path.slice(start) : path.slice(start, end);
      if (name === "" || name === "." || name === "..") return undefined;
      const node = parent.children.get(name);
      if (node?.kind === "link") return undefined;
      if (end === -1) return { parent, name, node, real: path };
      if (node?.kind !== "folder") return undefined;
      parent = node;
      start = end + 1;
    }
  }

  #findByLinks(path: string, operation: string, follow: boolean): Place {
    const ahead = path.split("/").toReversed();
    const trail: Array<Nodes.FolderNode> = [this.root];
    const names: Array<string> = [];
    let links = 0;
    while (ahead.length > 0) {
      const name = ahead.pop() ?? "";
      if (name === "" || name === ".") continue;
      if (name === "..") {
        if (names.length > 0) {
          trail.pop();
          names.pop();
        }
        continue;
      }
      const parent = trail.at(-1) ?? this.root;
      const node = parent.children.get(name);
      const last = ahead.every((segment) => segment === "" || segment === ".");
      if (node?.kind === "link" && (!last || follow)) {
        links += 1;
        if (links > mostLinks) throw this.error("ELOOP", operation, path);
        if (node.target.startsWith("/")) {
          trail.length = 1;
          names.length = 0;
        }
        ahead.push(...node.target.split("/").toReversed());
        continue;
      }
      if (last) return { parent, name, node, real: `/${[...names, name].join("/")}` };
      if (node === undefined) throw this.error("ENOENT", operation, path);
      if (node.kind !== "folder") throw this.error("ENOTDIR", operation, path);
      trail.push(node);
      names.push(name);
    }
    return { parent: undefined, name: "", node: trail.at(-1), real: `/${names.join("/")}` };
  }

  /** The node at a path, which must be there. */
  node(path: string, operation: string, follow = true): Nodes.TreeNode {
    const { node } = this.find(path, operation, follow);
    if (node === undefined) throw this.error("ENOENT", operation, path);
    return node;
  }

  exists(path: string): boolean {
    try {
      return this.find(path, "access").node !== undefined;
    } catch {
      return false;
    }
  }

  /** Not a copy: the bytes are not to be changed. */
  read(path: string): Uint8Array {
    const node = this.node(path, "open");
    if (node.kind === "folder") throw this.error("EISDIR", "read", path);
    return node.kind === "file" ? Nodes.content(node) : new Uint8Array(0);
  }

  write(path: string, bytes: Uint8Array, mode?: number): void {
    const place = this.find(path, "open");
    if (devices.has(place.real) && this.#writable !== null) return;
    const { node } = place;
    if (node?.kind === "folder") throw this.error("EISDIR", "open", path);
    this.assertWritable(place, "open", path);
    if (node?.kind === "file") {
      this.#take(0, bytes.length - node.length, "write", path);
      node.bytes = bytes;
      node.length = bytes.length;
      node.mtime = new Date();
      return;
    }
    this.#attach(place, Nodes.file(bytes, mode), "open", path);
  }

  append(path: string, bytes: Uint8Array): void {
    const place = this.find(path, "open");
    const { node } = place;
    if (node?.kind !== "file" || devices.has(place.real)) return this.write(path, bytes);
    this.assertWritable(place, "open", path);
    this.#take(0, bytes.length, "write", path);
    const length = node.length + bytes.length;
    // Room that grows with the file makes many small appends cheap; a file that came with the request has none to share.
    if (length > node.bytes.length) {
      const grown = new Uint8Array(Math.max(length, node.length * 2));
      grown.set(Nodes.content(node));
      node.bytes = grown;
    }
    node.bytes.set(bytes, node.length);
    node.length = length;
    node.mtime = new Date();
  }

  makeFolder(path: string, recursive: boolean): void {
    if (recursive) {
      if (this.#findStraight(path)?.node?.kind === "folder") return;
      const missing = this.#firstMissing(path);
      for (const each of missing) this.makeFolder(each, false);
      if (this.node(path, "mkdir").kind !== "folder") throw this.error("EEXIST", "mkdir", path);
      return;
    }
    const place = this.find(path, "mkdir");
    if (place.node !== undefined) throw this.error("EEXIST", "mkdir", path);
    this.assertWritable(place, "mkdir", path);
    this.#attach(place, Nodes.folder(), "mkdir", path);
  }

  makeLink(target: string, path: string): void {
    const place = this.find(path, "symlink", false);
    if (place.node !== undefined) throw this.error("EEXIST", "symlink", path);
    this.assertWritable(place, "symlink", path);
    this.#attach(place, Nodes.link(target), "symlink", path);
  }

  /** A second name of one file. */
  makeHardLink(existing: string, path: string): void {
    const node = this.node(existing, "link");
    if (node.kind !== "file") throw this.error("EACCES", "link", existing);
    const place = this.find(path, "link", false);
    if (place.node !== undefined) throw this.error("EEXIST", "link", path);
    this.assertWritable(this.find(existing, "link"), "link", existing);
    this.assertWritable(place, "link", path);
    this.#attach(place, node, "link", path);
  }

  remove(path: string, options: { readonly recursive: boolean; readonly force: boolean }): void {
    const place = this.#findOrNothing(path, "rm", options.force);
    if (place?.node === undefined) {
      if (options.force) return;
      throw this.error("ENOENT", "rm", path);
    }
    if (place.node.kind === "folder" && place.node.children.size > 0 && !options.recursive) {
      throw this.error("ENOTEMPTY", "rm", path);
    }
    this.assertWritable(place, "rm", path);
    this.assertNoRoot(place, "rm", path);
    this.#detach(place);
  }

  copy(from: string, to: string, recursive: boolean): void {
    const node = this.node(from, "cp");
    if (node.kind !== "folder") return this.write(to, this.read(from).slice(), node.mode);
    if (!recursive) throw this.error("EISDIR", "cp", from);
    if (this.find(to, "cp").real.startsWith(`${this.find(from, "cp").real}/`)) throw this.error("EINVAL", "cp", to);
    this.makeFolder(to, true);
    for (const [name, child] of node.children) {
      if (child.kind === "link") this.makeLink(child.target, `${to}/${name}`);
      else this.copy(`${from}/${name}`, `${to}/${name}`, true);
    }
  }

  move(from: string, to: string): void {
    const source = this.find(from, "rename", false);
    const node = source.node;
    if (node === undefined) throw this.error("ENOENT", "rename", from);
    const target = this.find(to, "rename", false);
    if (target.real === source.real) return;
    if (target.real.startsWith(`${source.real}/`)) throw this.error("EINVAL", "rename", to);
    this.assertWritable(source, "rename", from);
    this.assertNoRoot(source, "rename", from);
    this.assertWritable(target, "rename", to);
    if (target.node !== undefined) {
      if (target.node.kind === "folder" && node.kind !== "folder") throw this.error("EISDIR", "rename", to);
      if (target.node.kind !== "folder" && node.kind === "folder") throw this.error("ENOTDIR", "rename", to);
      if (target.node.kind === "folder" && target.node.children.size > 0) throw this.error("ENOTEMPTY", "rename", to);
      this.assertNoRoot(target, "rename", to);
      this.#detach(target);
    }
    source.parent?.children.delete(source.name);
    target.parent?.children.set(target.name, node);
  }

  /** Throws unless a place may be changed. */
  assertWritable(place: Place, operation: string, path: string): void {
    if (this.#writable === null) return;
    const inside = this.#writable.some((root) => place.real === root || place.real.startsWith(below(root)));
    if (!inside) throw this.error("EROFS", operation, path);
  }

  /** Throws for a folder that bounds what may be written: it cannot itself be removed or moved. */
  assertNoRoot(place: Place, operation: string, path: string): void {
    if (place.parent === undefined || this.#writable?.includes(place.real) === true) {
      throw this.error("EBUSY", operation, path);
    }
  }

  /** The folders that a path lacks, the outermost first. */
  #firstMissing(path: string): ReadonlyArray<string> {
    const segments = path.split("/").filter((segment) => segment !== "");
    const paths = segments.map((_, index) => `/${segments.slice(0, index + 1).join("/")}`);
    // What lies below a missing one is missing.
    const first = paths.findIndex((each) => !this.exists(each));
    return first === -1 ? [] : paths.slice(first);
  }

  #findOrNothing(path: string, operation: string, tolerant: boolean): Place | undefined {
    try {
      return this.find(path, operation, false);
    } catch (error) {
      if (tolerant) return undefined;
      throw error;
    }
  }

  #attach(place: Place, node: Nodes.TreeNode, operation: string, path: string): void {
    const { bytes, nodes } = Nodes.measure(node);
    this.#take(nodes, bytes, operation, path);
    place.parent?.children.set(place.name, node);
  }

  #detach(place: Place): void {
    if (place.node === undefined) return;
    const { bytes, nodes } = Nodes.measure(place.node);
    place.parent?.children.delete(place.name);
    this.#nodes -= nodes;
    this.#bytes -= bytes;
  }

  #take(nodes: number, bytes: number, operation: string, path: string): void {
    const { limits, onFull } = this.#options;
    if (this.#writable !== null && nodes > 0 && this.#nodes + nodes > limits.files) {
      onFull("files");
      throw this.error("ENOSPC", operation, path);
    }
    if (this.#writable !== null && bytes > 0 && this.#bytes + bytes > limits.bytes) {
      onFull("bytes");
      throw this.error("ENOSPC", operation, path);
    }
    this.#nodes += nodes;
    this.#bytes += bytes;
  }
}

const below = (root: string): string => (root === "/" ? "/" : `${root}/`);
