/**
 * A text in which thousands of keys are looked up.
 *
 * Owns the index that tells most absent keys without reading the text. Does not own what a key means.
 */

/** All answers are those of the plain search; `isCaseSensitive: false` looks for `needle`, given in lower case, in lower case. */
export interface Haystack {
  readonly text: string;
  readonly includes: (needle: string, isCaseSensitive: boolean) => boolean;
  /** Like `includes`, with no ASCII letter, digit or underscore on either side. */
  readonly includesWord: (needle: string, isCaseSensitive: boolean) => boolean;
}

/** The haystack of a text. The lower case and the index are made when they are first worth it. */
export const make = (text: string): Haystack => {
  const raw = makeSide(() => text);
  const lower = makeSide(() => text.toLowerCase());
  return {
    text,
    includes: (needle, isCaseSensitive) => {
      const side = isCaseSensitive ? raw : lower;
      return side.mayHold(needle) && side.text().includes(needle);
    },
    includesWord: (needle, isCaseSensitive) => {
      const side = isCaseSensitive ? raw : lower;
      return side.mayHold(needle) && hasWord(side.text(), needle);
    },
  };
};

interface Side {
  readonly text: () => string;
  readonly mayHold: (needle: string) => boolean;
}

const makeSide = (read: () => string): Side => {
  let text: string | null = null;
  let grams: Uint32Array | null = null;
  let asked = 0;
  const get = (): string => {
    text ??= read();
    return text;
  };
  return {
    text: get,
    mayHold: (needle) => {
      if (needle.length < 3) return true;
      asked += 1;
      if (asked < worthAnIndex) return true;
      grams ??= gramsOf(get());
      for (let at = 0; at + 2 < needle.length; at += 1) {
        const bit = bitOf(needle, at);
        if ((valueAt(grams, bit >>> 5) & (1 << (bit & 31))) === 0) return false;
      }
      return true;
    },
  };
};

const worthAnIndex = 16;
const bits = 18;

const gramsOf = (text: string): Uint32Array => {
  const grams = new Uint32Array(1 << (bits - 5));
  for (let at = 0; at + 2 < text.length; at += 1) {
    const bit = bitOf(text, at);
    grams[bit >>> 5] = valueAt(grams, bit >>> 5) | (1 << (bit & 31));
  }
  return grams;
};

const valueAt = (grams: Uint32Array, at: number): number => grams[at] ?? 0;

/** A hash of the three code units from `at`. */
const bitOf = (text: string, at: number): number =>
  Math.imul((text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) * 8191 + text.charCodeAt(at + 2), 2654435761) >>>
  (32 - bits);

const hasWord = (text: string, needle: string): boolean => {
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
    const end = at + needle.length;
    if ((at === 0 || !isWordAt(text, at - 1)) && (end === text.length || !isWordAt(text, end))) return true;
    if (at === text.length) return false;
  }
  return false;
};

/** JavaScript's `\w` without the flag for Unicode. */
const isWordAt = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;
};
