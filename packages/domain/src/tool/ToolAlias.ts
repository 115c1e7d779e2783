/**
 * The names under which a model sees its tools.
 *
 * Owns how names are made and kept apart. Does not own freezing them: an invocation's snapshot does. Aliases consist of
 * letters, digits, `_` and `-`, and no two tools of an invocation share one.
 */
import type { ToolId } from "./ToolId.ts";
import { builtinAlias } from "./ToolSnapshot.ts";

/** Longest alias; a protocol may ask for less. */
export const maxLength = 64;

/** Least maximum that is obeyed: shorter names could not be kept apart any more. */
export const minLength = 16;

/** Aliases that no tool of a source gets: the runtime hands them out itself. */
export const reserved: ReadonlyArray<string> = ["task_return"];

/** A tool that wants a name. `serverName` is what people call its MCP server; without it the registration id is used. */
export interface Nameless {
  readonly id: ToolId;
  readonly serverName?: string;
}

/**
 * `builtins`: built-in tools whose names are taken although this invocation does not have them. `earlier`: aliases that
 * invocations of the same run gave before, by tool id. `maxLength` lies between `minLength` and 64.
 */
export interface AliasOptions {
  readonly builtins?: ReadonlyArray<ToolId>;
  readonly earlier?: ReadonlyMap<string, string>;
  readonly maxLength?: number;
}

/**
 * An alias for every tool, by tool id. Built-ins come first and keep their fixed names; then whoever had an alias in
 * this run gets it again; then all others choose in the order of their ids. The order of `tools` means nothing. A name
 * that is taken gets `__2`, `__3` and so on, cut so that the whole stays within the limit. An alias given earlier stays
 * taken even when its tool is absent; it is given up only where a built-in or a smaller limit forbids it.
 */
export const assign = (tools: ReadonlyArray<Nameless>, options: AliasOptions = {}): ReadonlyMap<string, string> => {
  const limit = Math.min(maxLength, Math.max(minLength, options.maxLength ?? maxLength));
  const builtins = unique([...tools.map(({ id }) => id), ...(options.builtins ?? [])].filter(isBuiltin));
  const names = new Names(limit);
  const aliases = new Map<string, string>();
  for (const id of builtins) aliases.set(id, names.take(builtinAlias(id)));
  for (const name of reserved) names.hold(name);
  const earlier = [...(options.earlier ?? [])].filter(([id, alias]) => !isBuiltin(id) && valid(alias, limit));
  for (const [id, alias] of earlier.toSorted(byId)) if (names.hold(alias)) aliases.set(id, alias);
  for (const tool of [...tools].toSorted((one, other) => compare(one.id, other.id)))
    if (!aliases.has(tool.id)) aliases.set(tool.id, names.take(wish(tool, limit)));
  const wanted = new Map<string, string>();
  for (const { id } of tools) {
    const alias = aliases.get(id);
    if (alias !== undefined) wanted.set(id, alias);
  }
  return wanted;
};

/** Names that are taken. */
class Names {
  readonly #taken = new Set<string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes exactly this name; false when somebody has it. */
  hold(name: string): boolean {
    if (this.#taken.has(name)) return false;
    this.#taken.add(name);
    return true;
  }

  /** Takes this name or the first free one with a number. */
  take(name: string): string {
    const first = name.slice(0, this.#limit);
    if (this.hold(first)) return first;
    for (let number = 2; ; number += 1) {
      const suffix = `__${number}`;
      const numbered = name.slice(0, this.#limit - suffix.length) + suffix;
      if (this.hold(numbered)) return numbered;
    }
  }
}

/** What a tool would be called if it were alone. */
const wish = (tool: Nameless, limit: number): string => {
  const { id } = tool;
  if (!id.startsWith("mcp/")) return segment(nativeOf(id), "tool", /[^A-Za-z0-9_-]+/g);
  const server = segment(tool.serverName ?? id.slice("mcp/".length, id.indexOf(":")), "server", notInSegment);
  const native = segment(nativeOf(id), "tool", notInSegment);
  const whole = `mcp__${server}__${native}`;
  if (whole.length <= limit) return whole;
  const short = trimmed(server.slice(0, Math.floor((limit * shortServer) / maxLength)));
  return `mcp__${short}__${trimmed(native.slice(0, limit - "mcp____".length - short.length))}`;
};

/** Most characters of a server's name in an alias of 64 that is too long; a smaller limit leaves it its share. */
const shortServer = 20;

/** A segment holds no `_` twice in a row, so that `__` separates. */
const notInSegment = /[^A-Za-z0-9-]+/g;

/** What nearly every name is: a segment already. */
const plain = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/;

const segment = (name: string, fallback: string, forbidden: RegExp): string => {
  if (plain.test(name)) return name;
  const kept = trimmed(name.replaceAll(forbidden, "_"));
  return kept === "" ? fallback : kept;
};

const trimmed = (name: string): string => name.replaceAll(/^_+|_+$/g, "");

const valid = (alias: string, limit: number): boolean => alias.length <= limit && /^[A-Za-z0-9_-]+$/.test(alias);

const isBuiltin = (id: string): boolean => id.startsWith("builtin:");

const nativeOf = (id: string): string => id.slice(id.indexOf(":") + 1);

const unique = <A extends string>(ids: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(ids)].toSorted(compare);

const byId = (one: readonly [string, string], other: readonly [string, string]): number => compare(one[0], other[0]);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
