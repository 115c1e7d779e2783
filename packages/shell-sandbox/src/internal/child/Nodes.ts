/**
 * What a tree of files is made of.
 */

/** `bytes` may have room behind `length`, which appending uses up. */
export interface FileNode {
  readonly kind: "file";
  bytes: Uint8Array;
  length: number;
  mode: number;
  mtime: Date;
}

export interface FolderNode {
  readonly kind: "folder";
  readonly children: Map<string, TreeNode>;
  mode: number;
  mtime: Date;
}

export interface LinkNode {
  readonly kind: "link";
  readonly target: string;
  mode: number;
  mtime: Date;
}

export type TreeNode = FileNode | FolderNode | LinkNode;

export const file = (bytes: Uint8Array, mode = 0o644): FileNode => ({
  kind: "file",
  bytes,
  length: bytes.length,
  mode,
  mtime: new Date(),
});

export const folder = (): FolderNode => ({ kind: "folder", children: new Map(), mode: 0o755, mtime: new Date() });

export const link = (target: string): LinkNode => ({ kind: "link", target, mode: 0o777, mtime: new Date() });

/** The file's content without the room behind it; not a copy. */
export const content = (node: FileNode): Uint8Array =>
  node.length === node.bytes.length ? node.bytes : node.bytes.subarray(0, node.length);

/** How many nodes there are in and below a node, itself included, and the bytes of its files. */
export const measure = (node: TreeNode): { readonly nodes: number; readonly bytes: number } => {
  if (node.kind !== "folder") return { nodes: 1, bytes: node.kind === "file" ? node.length : 0 };
  const total = { nodes: 1, bytes: 0 };
  for (const child of node.children.values()) {
    const below = measure(child);
    total.nodes += below.nodes;
    total.bytes += below.bytes;
  }
  return total;
};
