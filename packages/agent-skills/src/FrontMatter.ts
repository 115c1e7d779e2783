/**
 * The front matter of a `SKILL.md`: YAML between two lines of `---`, before the text.
 *
 * Owns taking it apart, without harm whatever it holds: no tags, few aliases, no keys that a prototype has. Does not own
 * what its keys mean: `manifestOf` does.
 */
import * as Result from "effect/Result";
import { parseDocument } from "yaml";
import * as Limits from "./Limits.ts";

/**
 * `fields` are the top keys, maps in them being `Map`s. `state` is `recovered` when the YAML is wrong and only what plain
 * lines say was taken; `problem` then says why. `hasTags` when tags were passed over.
 */
export interface FrontMatter {
  readonly state: "read" | "recovered" | "missing";
  readonly fields: ReadonlyMap<unknown, unknown>;
  readonly body: string;
  readonly problem?: string;
  readonly hasTags: boolean;
}

/** Always gives something: a text without front matter is all body. */
export const parse = (text: string): FrontMatter => {
  const open = /^\s*---[ \t]*\r?\n/.exec(text);
  if (open === null) return { state: "missing", fields: new Map(), body: text, hasTags: false };
  const rest = text.slice(open[0].length);
  const close = /^---[ \t\r]*$/m.exec(rest);
  if (close === null) return recovered("", rest, "no line of --- ends it");
  const source = rest.slice(0, close.index);
  const body = rest.slice(close.index + close[0].length).trimStart();
  if (source.length > Limits.maxFrontMatterCharacters) {
    return recovered("", body, `it is longer than ${Limits.maxFrontMatterCharacters} characters`);
  }
  const read = readYaml(source);
  return Result.isSuccess(read) ? { state: "read", body, ...read.success } : recovered(source, body, read.failure);
};

/** Aliases repeat what an anchor names: more than these are meant to grow without end. */
const maxAliases = 20;

const readYaml = (source: string): Result.Result<Pick<FrontMatter, "fields" | "hasTags">, string> =>
  Result.try({
    // Deep nesting ends the parser by an overflow of the stack: whatever is thrown is a text that cannot be read.
    try: () => {
      const document = parseDocument(source, {
        version: "1.2",
        schema: "core",
        prettyErrors: false,
        logLevel: "silent",
      });
      const error = document.errors[0];
      const value: unknown =
        error === undefined ? document.toJS({ mapAsMap: true, maxAliasCount: maxAliases }) : undefined;
      return { error: error?.message, value, hasTags: document.warnings.length > 0 };
    },
    catch: () => "it is nested too deep or repeats itself without end",
  }).pipe(
    Result.flatMap(({ error, hasTags, value }) => {
      if (error !== undefined) return Result.fail(error.split("\n", 1)[0] ?? error);
      if (value === null) return Result.succeed({ fields: new Map(), hasTags });
      return value instanceof Map
        ? Result.succeed({ fields: value, hasTags })
        : Result.fail("it is not a list of keys with values");
    }),
  );

const recovered = (source: string, body: string, problem: string): FrontMatter => ({
  state: "recovered",
  fields: plainLines(source),
  body,
  problem,
  hasTags: false,
});

/** What the lines `key: text` say, with the indented lines after each. The commonest mistake is a colon in such a text. */
const plainLines = (source: string): ReadonlyMap<string, string> => {
  const found = new Map<string, Array<string>>();
  const open: Array<Array<string>> = [];
  for (const line of source.split(/\r?\n/)) {
    const match = /^(name|description|license|compatibility)[ \t]*:(?:[ \t]+(.*))?$/.exec(line);
    const [, key, first = ""] = match ?? [];
    if (key !== undefined && !found.has(key)) {
      const lines = [first.trim()];
      found.set(key, lines);
      open.splice(0, 1, lines);
    } else if (/^[ \t]/.test(line)) open[0]?.push(line.trim());
    else open.length = 0;
  }
  return new Map([...found].map(([key, lines]) => [key, plain(lines)] as const).filter(([, text]) => text !== ""));
};

const plain = ([first = "", ...more]: ReadonlyArray<string>): string => {
  if (/^[[{&*!]/.test(first)) return "";
  const text = [/^[|>][+-]?$/.test(first) ? "" : first, ...more].filter((line) => line !== "").join(" ");
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
};
