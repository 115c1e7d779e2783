/**
 * A key of an entry: plain text or a regular expression between slashes.
 */
import type { Haystack } from "./Haystack.ts";
import { requiredLiteral } from "./requiredLiteral.ts";

/** `text` is the key as it is looked for. */
export interface LoreKey {
  readonly text: string;
  readonly lower: string;
  readonly hasSpace: boolean;
  readonly pattern: RegExp | null;
  /** What every match of `pattern` holds, in lower case. */
  readonly literal: string | null;
}

/** How plain text is compared. */
export interface Comparison {
  readonly isCaseSensitive: boolean;
  readonly areWholeWords: boolean;
}

export const compile = (text: string): LoreKey => {
  const pattern = text.startsWith("/") ? patternOf(text) : null;
  return {
    text,
    lower: text.toLowerCase(),
    hasSpace: /\s/.test(text),
    pattern,
    literal: pattern === null ? null : requiredLiteral(pattern.source, pattern.flags),
  };
};

/**
 * Whether the key is in the text. A key with white space is looked up as it stands even where whole words are asked for.
 * A regular expression brings its own rules.
 */
export const isIn = (key: LoreKey, haystack: Haystack, { areWholeWords, isCaseSensitive }: Comparison): boolean => {
  if (key.pattern !== null) {
    if (key.literal !== null && !haystack.includes(key.literal, false)) return false;
    key.pattern.lastIndex = 0;
    return key.pattern.test(haystack.text);
  }
  const needle = isCaseSensitive ? key.text : key.lower;
  return areWholeWords && !key.hasSpace
    ? haystack.includesWord(needle, isCaseSensitive)
    : haystack.includes(needle, isCaseSensitive);
};

/** Null where the text is no expression: a slash inside it is not escaped, or it cannot be compiled. */
const patternOf = (text: string): RegExp | null => {
  const found = /^\/([^]+?)\/([gimsuy]*)$/.exec(text);
  const source = found?.[1];
  if (source === undefined || /(?:^|[^\\])\//.test(source)) return null;
  try {
    return new RegExp(source.replace("\\/", "/"), found?.[2]);
  } catch {
    return null;
  }
};
