/**
 * The files that a Python program opens.
 *
 * The engine opens files of a folder of the host only, and guards it. So a program that opens files gets copies of what the
 * shell sees in a folder that is its own, and what it changed there goes back into the tree when it ends.
 */
import { MountDir } from "@pydantic/monty";
import * as fs from "node:fs";
import * as nodePath from "node:path";
import * as Nodes from "./Nodes.ts";
import type { Surroundings } from "./CommandShell.ts";
import type { Tree } from "./Tree.ts";

export interface Files {
  readonly mounts: Array<MountDir>;
  /** Brings what the program changed into the tree; throws where the tree has no room. */
  readonly takeBack: () => void;
  /** Removes the copies. */
  readonly close: () => void;
}

/** Folders of the interpreter, which hold nothing for a program. */
const hidden: ReadonlySet<string> = new Set(["bin", "dev", "proc", "usr"]);

export const open = ({ request, tree }: Surroundings, scratch: string): Files => {
  const folder = fs.mkdtempSync(nodePath.join(scratch, "python-"));
  for (const [name, node] of tree.root.children) if (!hidden.has(name)) copyOut(node, nodePath.join(folder, name));
  const roots = [...new Set([...request.writableRoots, "tmp"])].filter((root) => tree.exists(`/${root}`));
  const limit = { writeBytesLimit: request.limits.bytes };
  return {
    mounts: [
      new MountDir("/", folder, { mode: "read-only" }),
      ...roots.map((root) => new MountDir(`/${root}`, nodePath.join(folder, root), { mode: "read-write", ...limit })),
    ],
    takeBack: () => {
      for (const root of roots) copyBack(tree, nodePath.join(folder, root), `/${root}`);
    },
    close: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
};

/** Links stay behind: what they lead to is there under its own name. */
const copyOut = (node: Nodes.TreeNode, path: string): void => {
  if (node.kind === "file") return fs.writeFileSync(path, Nodes.content(node));
  if (node.kind === "link") return;
  fs.mkdirSync(path);
  for (const [name, child] of node.children) copyOut(child, nodePath.join(path, name));
};

const copyBack = (tree: Tree, from: string, to: string): void => {
  const entries = fs.readdirSync(from, { withFileTypes: true });
  const names = new Set(entries.map(({ name }) => name));
  const folder = tree.node(to, "scandir");
  const before = folder.kind === "folder" ? [...folder.children] : [];
  for (const [name, node] of before) {
    if (!names.has(name) && node.kind !== "link") tree.remove(`${to}/${name}`, { recursive: true, force: true });
  }
  for (const entry of entries) {
    const path = to === "/" ? `/${entry.name}` : `${to}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!tree.exists(path)) tree.makeFolder(path, false);
      copyBack(tree, nodePath.join(from, entry.name), path);
    }
    if (entry.isFile()) {
      const bytes = fs.readFileSync(nodePath.join(from, entry.name));
      if (!tree.exists(path) || Buffer.compare(bytes, tree.read(path)) !== 0) tree.write(path, bytes);
    }
  }
};
