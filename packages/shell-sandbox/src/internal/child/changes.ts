/**
 * What a command has changed of the files that it was given.
 */
import type { ShellChange, ShellFile } from "@cahier/ports/Shell";
import * as Nodes from "./Nodes.ts";
import type { Tree } from "./Tree.ts";

/** `links` are symbolic links below the writable folders: they are not files, and so no change. */
export interface Changes {
  readonly changes: ReadonlyArray<ShellChange>;
  readonly links: ReadonlyArray<string>;
}

/** Folders of the interpreter itself, which are no part of a workspace where all of it may be written. */
const own: ReadonlySet<string> = new Set(["bin", "dev", "proc", "tmp", "usr"]);

/** By path in the order of code units. `given` are the files as the tree got them, the same arrays. */
export const between = (tree: Tree, given: ReadonlyArray<ShellFile>, writableRoots: ReadonlyArray<string>): Changes => {
  const before = new Map(given.map(({ path, bytes }) => [path, bytes]));
  const after = new Map<string, Uint8Array>();
  const links: Array<string> = [];
  for (const root of writableRoots) collect(nodeAt(tree, root), root, { after, links });
  const written = [...after].flatMap(([path, bytes]) => (equal(bytes, before.get(path)) ? [] : [{ path, bytes }]));
  const gone = [...before.keys()]
    .filter((path) => !after.has(path) && writableRoots.some((root) => root === "" || path.startsWith(`${root}/`)))
    .map((path) => ({ path, bytes: null }));
  return { changes: [...written, ...gone].toSorted((a, b) => (a.path < b.path ? -1 : 1)), links: links.toSorted() };
};

/** The folder itself, never what a link leads to. */
const nodeAt = (tree: Tree, path: string): Nodes.TreeNode | undefined =>
  path.split("/").reduce<Nodes.TreeNode | undefined>((node, segment) => {
    if (segment === "") return node;
    return node?.kind === "folder" ? node.children.get(segment) : undefined;
  }, tree.root);

const collect = (
  node: Nodes.TreeNode | undefined,
  path: string,
  found: { readonly after: Map<string, Uint8Array>; readonly links: Array<string> },
): void => {
  if (node === undefined) return;
  if (node.kind === "file") {
    found.after.set(path, Nodes.content(node));
    return;
  }
  if (node.kind === "link") {
    found.links.push(path);
    return;
  }
  for (const [name, child] of node.children) {
    if (path === "" && own.has(name)) continue;
    collect(child, path === "" ? name : `${path}/${name}`, found);
  }
};

const equal = (bytes: Uint8Array, other: Uint8Array | undefined): boolean =>
  other !== undefined && (bytes === other || Buffer.compare(bytes, other) === 0);
