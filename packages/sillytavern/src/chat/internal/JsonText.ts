/**
 * Edits of JSON as text: the place of one member is found and changed, every other character stays as it was.
 *
 * Owns spans inside a JSON text and edits of them. Does not own validation: a text given here has been parsed before, and
 * what an edit puts in is JSON. Of several members with one name the last counts, as in `JSON.parse`.
 */

/** Steps from the root of a text: member names and array positions. */
export type Path = ReadonlyArray<string | number>;

/** UTF-16 positions in the text, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** `start` and `end` are those of the value, `keyStart` is where the member begins. */
export interface Member extends Span {
  readonly key: string;
  readonly keyStart: number;
}

/** The text of the value at a path, or null where there is none. */
export const raw = (text: string, path: Path): string | null => {
  const span = find(text, path);
  return span === null ? null : text.slice(span.start, span.end);
};

/** Puts a value at a path. A member that its object does not have yet is added as the last one. */
export const set = (text: string, path: Path, value: string): string => {
  const span = find(text, path);
  if (span !== null) return text.slice(0, span.start) + value + text.slice(span.end);
  const parent = find(text, path.slice(0, -1));
  const key = path.at(-1);
  if (parent === null || typeof key !== "string" || text[parent.start] !== "{") return text;
  const last = members(text, parent.start).at(-1);
  const member = `${JSON.stringify(key)}:${value}`;
  return last === undefined ? insert(text, parent.start + 1, member) : insert(text, last.end, `,${member}`);
};

/** Adds an element at the end of the array at a path. */
export const push = (text: string, path: Path, value: string): string => {
  const array = find(text, path);
  if (array === null || text[array.start] !== "[") return text;
  const last = elements(text, array.start).at(-1);
  return last === undefined ? insert(text, array.start + 1, value) : insert(text, last.end, `,${value}`);
};

/** Takes the member or element at a path out, with the comma that belongs to it: undoes `push`, and `set` of a new member. */
export const remove = (text: string, path: Path): string => {
  const parent = find(text, path.slice(0, -1));
  const span = find(text, path);
  if (parent === null || span === null) return text;
  const siblings = text[parent.start] === "{" ? members(text, parent.start) : elements(text, parent.start);
  const at = siblings.findIndex((sibling) => sibling.start === span.start);
  const before = siblings[at - 1];
  if (before !== undefined) return text.slice(0, before.end) + text.slice(span.end);
  const after = siblings[at + 1];
  const from = beginning(siblings[at] ?? span);
  return text.slice(0, from) + text.slice(after === undefined ? span.end : beginning(after));
};

/** Where the value at a path stands, or null. */
export const find = (text: string, path: Path): Span | null => {
  let span = valueAt(text, skipSpace(text, 0));
  for (const step of path) {
    const open = text[span.start];
    const next =
      typeof step === "string"
        ? open === "{"
          ? members(text, span.start).findLast((member) => member.key === step)
          : undefined
        : open === "["
          ? elements(text, span.start)[step]
          : undefined;
    if (next === undefined) return null;
    span = next;
  }
  return span;
};

/** The members of the object that begins at a position, in order. */
export const members = (text: string, objectStart: number): ReadonlyArray<Member> => {
  const found: Array<Member> = [];
  let at = skipSpace(text, objectStart + 1);
  while (at < text.length && text[at] !== "}") {
    const keyEnd = endOfString(text, at);
    const value = valueAt(text, skipSpace(text, skipSpace(text, keyEnd) + 1));
    found.push({ key: keyOf(text.slice(at, keyEnd)), keyStart: at, start: value.start, end: value.end });
    at = afterComma(text, value.end);
  }
  return found;
};

/** The elements of the array that begins at a position, in order. */
export const elements = (text: string, arrayStart: number): ReadonlyArray<Span> => {
  const found: Array<Span> = [];
  let at = skipSpace(text, arrayStart + 1);
  while (at < text.length && text[at] !== "]") {
    const value = valueAt(text, at);
    found.push(value);
    at = afterComma(text, value.end);
  }
  return found;
};

const insert = (text: string, at: number, piece: string): string => text.slice(0, at) + piece + text.slice(at);

const beginning = (sibling: Span | Member): number => ("keyStart" in sibling ? sibling.keyStart : sibling.start);

const keyOf = (literal: string): string => {
  if (!literal.includes("\\")) return literal.slice(1, -1);
  const key: unknown = JSON.parse(literal);
  return typeof key === "string" ? key : "";
};

const valueAt = (text: string, start: number): Span => ({ start, end: endOfValue(text, start) });

const endOfValue = (text: string, start: number): number => {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first === "{" || first === "[") return endOfNested(text, start);
  let at = start;
  while (at < text.length && !/[\s,\]}]/.test(text[at] ?? "")) at += 1;
  return at;
};

const endOfNested = (text: string, start: number): number => {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
      continue;
    }
    at += 1;
    if (code === openBrace || code === openBracket) depth += 1;
    if (code === closeBrace || code === closeBracket) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return at;
};

const endOfString = (text: string, start: number): number => {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    at += code === backslash ? 2 : 1;
  }
  return at;
};

const skipSpace = (text: string, start: number): number => {
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return at;
    at += 1;
  }
  return at;
};

const afterComma = (text: string, end: number): number => {
  const at = skipSpace(text, end);
  return text[at] === "," ? skipSpace(text, at + 1) : at;
};

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
