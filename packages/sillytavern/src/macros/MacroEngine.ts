/**
 * Replaces the macros of a text.
 *
 * Owns the evaluation: names and arguments, blocks, conditions, what is left of unknown names. Does not own what the names
 * mean: the tables do.
 */
import * as ChanceMacros from "./ChanceMacros.ts";
import type { MacroTable } from "./MacroDefinition.ts";
import type { MacroScene } from "./MacroScene.ts";
import * as MacroText from "./MacroText.ts";
import * as SceneMacros from "./SceneMacros.ts";
import * as TextMacros from "./TextMacros.ts";
import * as TimeMacros from "./TimeMacros.ts";
import * as VariableMacros from "./VariableMacros.ts";

/**
 * The text with its macros replaced from left to right, inner ones first. What a macro gives is not read again. Unknown
 * names stay. `original` is what `{{original}}` gives the first time; later it is empty. Changes the scene's variables.
 */
export const expand = (text: string, scene: MacroScene, original?: string): string => {
  if (!/[{<}]/.test(text)) return text;
  const modern = text.includes("<") ? text.replace(legacy, (_, name: string) => `{{${modernName(name)}}}`) : text;
  const first = original === undefined ? [] : [original];
  const state: State = { scene, hasOriginal: original !== undefined, original: first, count: 0 };
  const replaced = modern.includes("{{") ? evaluate(MacroText.parse(modern), state) : modern;
  const unescaped = replaced.includes("\\") ? replaced.replace(/\\([{}])/g, "$1") : replaced;
  return unescaped.includes("{{") ? withoutTrims(unescaped) : unescaped;
};

interface State {
  readonly scene: MacroScene;
  readonly hasOriginal: boolean;
  /** Taken out when it is used. */
  readonly original: Array<string>;
  count: number;
}

type Nodes = ReadonlyArray<MacroText.Node>;

const table: ReadonlyMap<string, MacroTable[string]> = new Map(
  Object.entries<MacroTable[string]>({
    ...TextMacros.table,
    ...SceneMacros.table,
    ...VariableMacros.table,
    ...TimeMacros.table,
    ...ChanceMacros.table,
  }),
);

const legacy = /<(user|bot|char|group|charifnotgroup)>/gi;
const modernName = (name: string): string =>
  ({ user: "user", bot: "char", char: "char" })[name.toLowerCase()] ?? "group";

const head = /^\s*([!?~>#]*)\s*([a-z][\w-]*)(?=$|\s|:|[+-]\d)/i;

const evaluate = (nodes: Nodes, state: State): string => {
  const pairs = MacroText.blocks(nodes, blockOf);
  const evaluateRange = (from: number, to: number): string => {
    let text = "";
    for (let at = from; at < to; at += 1) {
      const node = nodes[at];
      if (node === undefined) break;
      if (typeof node === "string") {
        text += node;
        continue;
      }
      const end = pairs.get(at);
      if (end === undefined || end >= to) {
        text += evaluateMacro(node, state, null);
        continue;
      }
      text += evaluateMacro(node, state, { from: at + 1, to: end, pairs, nodes, evaluateRange });
      at = end;
    }
    return text;
  };
  return evaluateRange(0, nodes.length);
};

/** What stands between `{{name}}` and `{{/name}}`. */
interface Block {
  readonly from: number;
  readonly to: number;
  readonly nodes: Nodes;
  readonly pairs: ReadonlyMap<number, number>;
  readonly evaluateRange: (from: number, to: number) => string;
}

const evaluateMacro = (node: MacroText.MacroNode, state: State, block: Block | null): string => {
  const beginning = textOf(node.nodes[0]);
  if (/^\s*\/\//.test(beginning)) return "";
  const at = state.count;
  state.count += 1;
  if (/^\s*[!?~>#]*\s*[.$]/.test(beginning)) {
    const source = evaluate(node.nodes, state);
    const call = { scene: state.scene, source, at };
    return VariableMacros.short(source.trim().replace(/^[!?~>#]+/, ""), call) ?? asWritten(source, block);
  }
  const found = head.exec(beginning);
  const written = (): string => asWritten(evaluate(node.nodes, state), block);
  if (found === null) return written();
  const [matched, flags = "", name = ""] = found;
  const args = argumentsOf(beginning.slice(matched.length), node.nodes.slice(1));
  const keepsSpace = flags.includes("#");
  if (name.toLowerCase() === "if") return evaluateIf(args, state, block, keepsSpace) ?? written();
  if (name.toLowerCase() === "original" && state.hasOriginal) return state.original.pop() ?? "";
  const zone = /^\s*time_UTC([+-]\d+)\s*$/i.exec(beginning)?.[1];
  if (zone !== undefined) return table.get("time")?.run([`UTC${zone}`], { scene: state.scene, source: name, at }) ?? "";
  const definition = table.get(name.toLowerCase());
  const given = args.length + (block === null ? 0 : 1);
  if (definition === undefined || given < definition.least || given > definition.most) return written();
  const values = args.map((arg) => evaluate(arg, state).trim());
  const inner = block === null ? [] : [shaped(block.evaluateRange(block.from, block.to), keepsSpace)];
  return definition.run([...values, ...inner], { scene: state.scene, source: [name, ...values].join("::"), at });
};

/** The branch that the condition chooses; the other one is not evaluated. Null where there is no branch. */
const evaluateIf = (
  args: ReadonlyArray<Nodes>,
  state: State,
  block: Block | null,
  keepsSpace: boolean,
): string | null => {
  const [condition, inline] = args;
  if (condition === undefined || (block === null && inline === undefined)) return null;
  const holds = isTrue(condition, state);
  if (block === null) return holds && inline !== undefined ? evaluate(inline, state).trim() : "";
  const otherwise = elseOf(block);
  const [from, to] = holds ? [block.from, otherwise ?? block.to] : [(otherwise ?? block.to) + 1, block.to];
  return from >= to ? "" : shaped(block.evaluateRange(from, to), keepsSpace);
};

/** A text that is a macro's name or short form means what that gives; `!` in front turns it round. */
const isTrue = (condition: Nodes, state: State): boolean => {
  const beginning = textOf(condition[0]).trimStart();
  const isInverted = beginning.startsWith("!");
  const plain = condition.length === 1 ? beginning.replace(/^!\s*/, "").trim() : null;
  const isName = plain !== null && plain !== "" && (table.get(plain.toLowerCase())?.least === 0 || /^[.$]/.test(plain));
  const evaluated = isName ? evaluate([{ nodes: [plain] }], state) : evaluate(condition, state).trim();
  const meant = isInverted && !isName ? evaluated.slice(1).trim() : evaluated;
  return VariableMacros.isFalse(meant) === isInverted;
};

const elseOf = (block: Block): number | null => {
  for (let at = block.from; at < block.to; at += 1) {
    const node = block.nodes[at];
    if (node !== undefined && typeof node !== "string" && /^\s*else\s*$/i.test(textOf(node.nodes[0]))) return at;
    at = block.pairs.get(at) ?? at;
  }
  return null;
};

/** The parts after the name: after white space, a colon or a double colon. */
const argumentsOf = (rest: string, others: Nodes): ReadonlyArray<Nodes> => {
  const first = rest.replace(/^\s*(?:::?)?/, "");
  const hasSeparator = /^\s*:/.test(rest);
  if (first.trim() === "" && others.length === 0) return hasSeparator ? [[]] : [];
  return MacroText.split([first, ...others]);
};

const asWritten = (source: string, block: Block | null): string => {
  if (block === null) return `{{${source}}}`;
  const closer = block.nodes[block.to];
  const closing = closer === undefined || typeof closer === "string" ? "" : textOf(closer.nodes[0]);
  return `{{${source}}}${block.evaluateRange(block.from, block.to)}{{${closing}}}`;
};

const shaped = (text: string, keepsSpace: boolean): string => (keepsSpace ? text : MacroText.dedent(text));

/** Which macros may open a block, and which close one. */
const blockOf = (node: MacroText.MacroNode): { readonly name: string; readonly closes: boolean } | null => {
  const beginning = textOf(node.nodes[0]);
  const closing = /^\s*\/\s*([a-z][\w-]*|\/\/)\s*$/i.exec(beginning)?.[1];
  if (closing !== undefined) return { name: closing.toLowerCase(), closes: true };
  if (/^\s*\/\/\s*$/.test(beginning)) return { name: "//", closes: false };
  const name = head.exec(beginning)?.[2]?.toLowerCase();
  if (name === undefined || (name !== "if" && (table.get(name)?.most ?? 0) === 0)) return null;
  return { name, closes: false };
};

const textOf = (node: MacroText.Node | undefined): string => (typeof node === "string" ? node : "");

/** Without the marks of `{{trim}}` and the newlines around them. */
const withoutTrims = (text: string): string => {
  const parts = text.split(/\{\{trim\}\}/i);
  return parts
    .map((part, index) => {
      const begun = index === 0 ? part : part.replace(/^[\r\n]+/, "");
      return index === parts.length - 1 ? begun : begun.slice(0, lengthWithoutNewlines(begun));
    })
    .join("");
};

const lengthWithoutNewlines = (text: string): number => {
  let end = text.length;
  while (end > 0 && (text[end - 1] === "\n" || text[end - 1] === "\r")) end -= 1;
  return end;
};
