/**
 * Macros that keep variables: of the chat, and of all chats.
 *
 * Owns the named macros and the short forms `{{.name}}` and `{{$name}}` with their operators.
 */
import { argument, type MacroCall, type MacroTable, takes } from "./MacroDefinition.ts";
import type { VariableValue } from "./MacroScene.ts";

type Scope = "local" | "global";

const tableOf = (scope: Scope, infix: string): MacroTable => ({
  [`set${infix}`]: takes(2, 2, (args, call) => set(call, scope, argument(args, 0), argument(args, 1))),
  [`get${infix}`]: takes(1, 1, (args, call) => `${get(call, scope, argument(args, 0))}`),
  [`add${infix}`]: takes(2, 2, (args, call) => {
    add(call, scope, argument(args, 0), argument(args, 1));
    return "";
  }),
  [`inc${infix}`]: takes(1, 1, (args, call) => add(call, scope, argument(args, 0), "1")),
  [`dec${infix}`]: takes(1, 1, (args, call) => add(call, scope, argument(args, 0), "-1")),
  [`has${infix}`]: takes(1, 1, (args, call) => `${call.scene.variables[scope].has(argument(args, 0))}`),
  [`delete${infix}`]: takes(1, 1, (args, call) => {
    call.scene.variables[scope].delete(argument(args, 0));
    return "";
  }),
});

const local = tableOf("local", "var");
const everywhere = tableOf("global", "globalvar");

export const table: MacroTable = {
  ...local,
  ...everywhere,
};

/** What a short form says, such as `.coins += 2`; null where it is none. */
export const short = (source: string, call: MacroCall): string | null => {
  const found = shortForm.exec(source.trim());
  if (found === null) return null;
  const [, sign = "", name = "", operator = "", operand = ""] = found;
  const scope: Scope = sign === "." ? "local" : "global";
  const present = get(call, scope, name);
  const isKnown = call.scene.variables[scope].has(name);
  const other = operand.trim();
  switch (operator) {
    case "":
      return other === "" ? `${present}` : null;
    case "++":
      return add(call, scope, name, "1");
    case "--":
      return add(call, scope, name, "-1");
    case "=":
      return set(call, scope, name, other);
    case "+=":
      add(call, scope, name, other);
      return "";
    case "-=":
      add(call, scope, name, `${-Number(other)}`);
      return "";
    case "||=":
      return isFalse(present) ? setAndShow(call, scope, name, other) : `${present}`;
    case "??=":
      return isKnown ? `${present}` : setAndShow(call, scope, name, other);
    case "||":
      return isFalse(present) ? other : `${present}`;
    case "??":
      return isKnown ? `${present}` : other;
    case "==":
      return `${`${present}` === other}`;
    case "!=":
      return `${`${present}` !== other}`;
    case ">":
      return `${Number(present) > Number(other)}`;
    case ">=":
      return `${Number(present) >= Number(other)}`;
    case "<":
      return `${Number(present) < Number(other)}`;
    default:
      return `${Number(present) <= Number(other)}`;
  }
};

/** What conditions take for no: empty, `false`, `off` and 0. */
export const isFalse = (value: VariableValue): boolean => ["", "false", "off", "0"].includes(`${value}`.toLowerCase());

const shortForm = /^([.$])\s*([a-z](?:[\w-]*\w)?)\s*(\+\+|--|\|\|=|\?\?=|\|\||\?\?|\+=|-=|==|!=|>=|<=|=|>|<|)([^]*)$/i;

/** A number where it is one. */
const get = ({ scene }: MacroCall, scope: Scope, name: string): VariableValue => {
  const found = scene.variables[scope].get(name);
  if (found === undefined) return "";
  return typeof found === "string" && found.trim() !== "" && !Number.isNaN(Number(found)) ? Number(found) : found;
};

const set = ({ scene }: MacroCall, scope: Scope, name: string, value: VariableValue): string => {
  scene.variables[scope].set(name, value);
  return "";
};

const setAndShow = (call: MacroCall, scope: Scope, name: string, value: string): string => {
  set(call, scope, name, value);
  return value;
};

/** Adds numbers, and joins texts; the new value. */
const add = (call: MacroCall, scope: Scope, name: string, value: string): string => {
  const present = get(call, scope, name);
  const sum = Number(present) + Number(value);
  const next = Number.isNaN(sum) ? `${present}${value}` : sum;
  set(call, scope, name, next);
  return `${next}`;
};
