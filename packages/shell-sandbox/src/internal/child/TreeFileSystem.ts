/**
 * A tree as the file system of the interpreter.
 *
 * Owns the interpreter's interface: encodings, stat records, the entries that it makes for itself at its start. Does not own
 * what the operations do.
 */
import { type BufferEncoding, type ByteString, type FsStat, type IFileSystem, unsafeBytesFromLatin1 } from "just-bash";
import * as posix from "node:path/posix";
import type * as Nodes from "./Nodes.ts";
import type { Tree } from "./Tree.ts";

type EncodingOption = BufferEncoding | { readonly encoding?: BufferEncoding | null } | undefined;

/** The interpreter fills `/dev`, `/proc` and `/bin` through these when it starts, unless they are missing. */
interface StartingFileSystem {
  readonly mkdirSync: (path: string, options?: { readonly recursive?: boolean }) => void;
  readonly writeFileSync: (path: string, content: string | Uint8Array) => void;
}

/** Every operation is done when its promise is made; a failed one rejects with an error of the tree. */
export const of = (tree: Tree): IFileSystem & StartingFileSystem => ({
  readFile: (path, options) => done(() => decode(tree.read(path), encodingOf(options))),
  readFileBytes: (path): Promise<ByteString> => done(() => unsafeBytesFromLatin1(decode(tree.read(path), "latin1"))),
  readFileBuffer: (path) => done(() => tree.read(path).slice()),
  writeFile: (path, content, options) => done(() => tree.write(path, encode(content, encodingOf(options)))),
  appendFile: (path, content, options) => done(() => tree.append(path, encode(content, encodingOf(options)))),
  exists: (path) => done(() => tree.exists(path)),
  stat: (path) => done(() => statOf(tree.node(path, "stat"))),
  lstat: (path) => done(() => statOf(tree.node(path, "lstat", false))),
  mkdir: (path, options) => done(() => tree.makeFolder(path, options?.recursive === true)),
  readdir: (path) => done(() => [...folderAt(tree, path).children.keys()].toSorted(byCodeUnit)),
  readdirWithFileTypes: (path) =>
    done(() =>
      [...folderAt(tree, path).children]
        .toSorted(([a], [b]) => byCodeUnit(a, b))
        .map(([name, node]) => ({
          name,
          isFile: node.kind === "file",
          isDirectory: node.kind === "folder",
          isSymbolicLink: node.kind === "link",
        })),
    ),
  rm: (path, options) =>
    done(() => tree.remove(path, { recursive: options?.recursive === true, force: options?.force === true })),
  cp: (from, to, options) => done(() => tree.copy(from, to, options?.recursive === true)),
  mv: (from, to) => done(() => tree.move(from, to)),
  resolvePath: (base, path) => posix.resolve(base, path),
  getAllPaths: () => pathsBelow(tree.root, ""),
  chmod: (path, mode) =>
    done(() => {
      changeable(tree, path, "chmod").mode = mode;
    }),
  symlink: (target, path) => done(() => tree.makeLink(target, path)),
  link: (existing, path) => done(() => tree.makeHardLink(existing, path)),
  readlink: (path) =>
    done(() => {
      const node = tree.node(path, "readlink", false);
      if (node.kind !== "link") throw tree.error("EINVAL", "readlink", path);
      return node.target;
    }),
  realpath: (path) =>
    done(() => {
      const place = tree.find(path, "realpath");
      if (place.node === undefined) throw tree.error("ENOENT", "realpath", path);
      return place.real;
    }),
  utimes: (path, _accessed, modified) =>
    done(() => {
      changeable(tree, path, "utimes").mtime = modified;
    }),
  mkdirSync: (path, options) => tree.makeFolder(path, options?.recursive === true),
  writeFileSync: (path, content) => {
    tree.makeFolder(posix.dirname(path), true);
    tree.write(path, encode(content, "utf8"), 0o755);
  },
});

const done = <A>(operation: () => A): Promise<A> =>
  new Promise((resolve) => {
    resolve(operation());
  });

const changeable = (tree: Tree, path: string, operation: string): Nodes.TreeNode => {
  const place = tree.find(path, operation);
  if (place.node === undefined) throw tree.error("ENOENT", operation, path);
  tree.assertWritable(place, operation, path);
  return place.node;
};

const folderAt = (tree: Tree, path: string): Nodes.FolderNode => {
  const node = tree.node(path, "scandir");
  if (node.kind !== "folder") throw tree.error("ENOTDIR", "scandir", path);
  return node;
};

const statOf = (node: Nodes.TreeNode): FsStat => ({
  isFile: node.kind === "file",
  isDirectory: node.kind === "folder",
  isSymbolicLink: node.kind === "link",
  mode: node.mode,
  size: node.kind === "file" ? node.length : node.kind === "link" ? node.target.length : 0,
  mtime: node.mtime,
  identity: identityOf(node),
});

const identities = new WeakMap<Nodes.TreeNode, string>();
const lastIdentity = { number: 0 };

/** The same for every name of one file, and for nothing else. */
const identityOf = (node: Nodes.TreeNode): string => {
  const known = identities.get(node);
  if (known !== undefined) return known;
  lastIdentity.number += 1;
  identities.set(node, `node-${lastIdentity.number}`);
  return `node-${lastIdentity.number}`;
};

const pathsBelow = (folder: Nodes.FolderNode, prefix: string): Array<string> =>
  [...folder.children].flatMap(([name, node]) => [
    `${prefix}/${name}`,
    ...(node.kind === "folder" ? pathsBelow(node, `${prefix}/${name}`) : []),
  ]);

const encodingOf = (option: EncodingOption): BufferEncoding =>
  (typeof option === "string" ? option : option?.encoding) ?? "utf8";

const encode = (content: string | Uint8Array, encoding: BufferEncoding): Uint8Array =>
  typeof content === "string" ? Buffer.from(content, encoding) : content.slice();

const decode = (bytes: Uint8Array, encoding: BufferEncoding): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding);

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
