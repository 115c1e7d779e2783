/**
 * A text with macros as a tree.
 *
 * Owns the grammar of braces: nesting, escapes, blocks between `{{name}}` and `{{/name}}`. Does not own what a name means.
 */

/** Text as it stands, or a macro between braces. */
export type Node = string | MacroNode;

/** `nodes` is what stands between the braces. */
export interface MacroNode {
  readonly nodes: ReadonlyArray<Node>;
}

/** Macros nest; braces without a partner are text, and so are braces after a backslash. Takes time by the text's length. */
export const parse = (text: string): ReadonlyArray<Node> => {
  const frames: Array<Array<Node>> = [[]];
  let from = 0;
  let at = 0;
  const take = (end: number): void => {
    if (end > from) frames.at(-1)?.push(text.slice(from, end));
  };
  while (at < text.length) {
    const character = text[at];
    if (character === "\\") {
      at += 2;
      continue;
    }
    if (character === "{" && text[at + 1] === "{") {
      const end = endOfRun(text, at);
      const opened = Math.min((end - at) >> 1, Math.max(deepest - frames.length, 0));
      take(end - opened * 2);
      for (let count = 0; count < opened; count += 1) frames.push([]);
      at = end;
      from = end;
      continue;
    }
    if (character === "}" && text[at + 1] === "}" && frames.length > 1) {
      take(at);
      const nodes = frames.pop() ?? [];
      frames.at(-1)?.push({ nodes });
      at += 2;
      from = at;
      continue;
    }
    at += 1;
  }
  take(text.length);
  return frames.flatMap((nodes, index) => (index === 0 ? nodes : ["{{", ...nodes]));
};

/** For each node that opens a block, the node that closes it; `nameOf` says which do either. */
export const blocks = (
  nodes: ReadonlyArray<Node>,
  nameOf: (node: MacroNode) => { readonly name: string; readonly closes: boolean } | null,
): ReadonlyMap<number, number> => {
  const open = new Map<string, Array<number>>();
  const found = new Map<number, number>();
  nodes.forEach((node, index) => {
    if (typeof node === "string") return;
    const named = nameOf(node);
    if (named === null) return;
    const waiting = open.get(named.name) ?? [];
    if (!named.closes) {
      waiting.push(index);
      open.set(named.name, waiting);
      return;
    }
    const opener = waiting.pop();
    if (opener !== undefined) found.set(opener, index);
  });
  return found;
};

/** The parts between double colons that stand in the text itself, not in a macro within it. */
export const split = (nodes: ReadonlyArray<Node>): ReadonlyArray<ReadonlyArray<Node>> => {
  const parts: Array<Array<Node>> = [[]];
  for (const node of nodes) {
    if (typeof node !== "string") {
      parts.at(-1)?.push(node);
      continue;
    }
    node.split("::").forEach((piece, index) => {
      if (index > 0) parts.push([]);
      if (piece !== "") parts.at(-1)?.push(piece);
    });
  }
  return parts;
};

/** A block's text without the white space around it and the indentation of its first line. */
export const dedent = (text: string): string => {
  const lines = text.split("\n");
  const first = lines.find((line) => line.trim() !== "") ?? "";
  const indentation = /^[ \t]*/.exec(first)?.[0] ?? "";
  return lines
    .map((line) => (line.startsWith(indentation) ? line.slice(indentation.length) : line.trimStart()))
    .join("\n")
    .trim();
};

/** Braces within more braces than this are text. */
const deepest = 50;

const endOfRun = (text: string, from: number): number => {
  let end = from;
  while (text[end] === "{") end += 1;
  return end;
};
