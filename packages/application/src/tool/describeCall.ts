/**
 * What people are shown of a call before they allow it.
 *
 * Owns the words. Does not own whether anybody is asked: policy does. Everything is made of the descriptor and the
 * arguments alone, so that it is the same wherever it is shown.
 */
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import type { ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";

/** Longest summary, and longest value within it, in UTF-16 units and without what says that something was cut. */
export const longestSummary = 300;
const longestValue = 80;

/** What the tool is called, as far as one line goes: servers and extensions name their tools as they like. */
export const titleOf = ({ title }: ToolDescriptor): string => visible(cut(title, longestTitle));

const longestTitle = 120;

/** The arguments in one line: long values are cut with their length, and nothing in it moves the cursor or the text. */
export const argumentsSummary = (given: JsonObject): string => {
  const entries = Object.entries(given);
  if (entries.length === 0) return "no arguments";
  const parts: Array<string> = [];
  let length = 0;
  for (const [name, value] of entries) {
    const part = `${visible(cut(name, longestValue))}: ${valueOf(value)}`;
    if (parts.length > 0 && length + part.length > longestSummary) {
      const left = entries.length - parts.length;
      return `${parts.join(", ")}, and ${left} more`;
    }
    parts.push(part);
    length += part.length + 2;
  }
  return parts.join(", ");
};

/** What the call does to the world, in sentences; nothing for a tool that only looks at the run's own things. */
export const sideEffects = (descriptor: ToolDescriptor, given: JsonObject): ReadonlyArray<string> => {
  const { annotations, sideEffect, source } = descriptor;
  const told = sideEffect === undefined ? [] : [filled(sideEffect, given)];
  return [
    ...told,
    ...(told.length === 0 && !annotations.readOnly && source === "builtin" ? ["Changes something in this run."] : []),
    ...(source === "mcp" ? ["Runs on an MCP server, outside of Cahier."] : []),
    ...(source === "extension" ? ["Runs in an extension, outside of Cahier."] : []),
    ...(annotations.destructive ? ["Can overwrite or remove something for good."] : []),
    ...(annotations.openWorld ? ["Reaches other machines."] : []),
    ...(source !== "builtin" && annotations.readOnly ? ["Says of itself that it only reads."] : []),
    ...(annotations.cost === "high" ? ["Can cost much money or time."] : []),
    ...(annotations.cost === "low" ? ["Costs a little money or time."] : []),
  ];
};

/** `{name}` stands for an argument, `{name|words}` for the words where the argument is not given. */
const filled = (template: string, given: JsonObject): string =>
  template.replaceAll(/\{(\w+)(?:\|([^}]*))?\}/g, (_, name: string, words: string | undefined) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    return value === undefined ? (words ?? name) : valueOf(value);
  });

const valueOf = (value: unknown): string => {
  const text = JSON.stringify(value);
  if (text.length <= longestValue) return visible(text);
  const size = typeof value === "string" ? `${value.length} characters` : `${text.length} characters of JSON`;
  return `${visible(cut(text, longestValue))} (${size})`;
};

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;

/** Control, direction and invisible characters as their numbers: what is shown is what is there. */
const visible = (text: string): string =>
  text.replaceAll(hidden, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);

const hidden =
  // eslint-disable-next-line no-control-regex -- control characters are what this makes visible
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
