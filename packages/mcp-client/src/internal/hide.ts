/**
 * Keeps secrets out of what a server, a library or a process says.
 */

import { mapStrings } from "./json.ts";

/** What is told instead of a secret. */
const mask = "[redacted]";

/** Shorter values are no keys, and are parts of ordinary words. */
const shortest = 4;

export interface Hide {
  /** A text for people: secrets replaced, control characters as spaces, at most 512 characters. */
  readonly text: (text: string) => string;
  /** The end of a text, for people, at most 384 characters. Of one that is not whole no part of a secret is left at its beginning. */
  readonly end: (text: string, isWhole: boolean) => string;
  /** The value with secrets replaced in its strings and keys; itself where there are none. */
  readonly json: <A>(value: A) => A;
  /** Hides these from now on, too. */
  readonly add: (secrets: ReadonlyArray<string>) => void;
}

/** Hides the values, also as JSON, a URL, a form and base64 spell them. */
export const of = (secrets: ReadonlyArray<string>): Hide => {
  const state = { spellings: longestFirst(secrets.flatMap(spellingsOf)) };
  const all = (text: string) => state.spellings.reduce((hidden, spelling) => hidden.replaceAll(spelling, mask), text);
  return {
    text: (text) => clip(printable(all(text))),
    end: (text, isWhole) => {
      const cut = isWhole ? 0 : Math.max(0, ...state.spellings.map((spelling) => endingAt(text, spelling)));
      return clipBefore(printable(all(text.slice(cut))), isWhole);
    },
    json: <A>(value: A): A => {
      if (state.spellings.length === 0) return value;
      return mapStrings(value, all) as A;
    },
    add: (more) => void (state.spellings = longestFirst([...state.spellings, ...more.flatMap(spellingsOf)])),
  };
};

const longestFirst = (spellings: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(spellings)].toSorted((one, other) => other.length - one.length);

const spellingsOf = (secret: string): ReadonlyArray<string> => {
  if (secret.length < shortest) return [];
  // The scheme in front of a token is not the secret, but the token alone is one.
  const token = secret.replace(/^(?:Bearer|Basic|Token)\s+/i, "");
  return [secret, ...(token.length < shortest ? [] : [token])].flatMap((part) => [
    part,
    JSON.stringify(part).slice(1, -1),
    encodeURIComponent(part),
    new URLSearchParams({ "": part }).toString().slice("=".length),
    Buffer.from(part).toString("base64"),
    Buffer.from(part).toString("base64url"),
  ]);
};

/** With how many of the last characters of a spelling the text begins. */
const endingAt = (text: string, spelling: string): number => {
  for (let count = spelling.length - 1; count > 0; count -= 1) {
    if (text.startsWith(spelling.slice(-count))) return count;
  }
  return 0;
};

// oxlint-disable-next-line no-control-regex -- control characters of others must not reach a terminal
const printable = (text: string): string => text.replaceAll(/[\u0000-\u001F\u007F-\u009F]+/g, " ").trim();

const clipBefore = (text: string, isWhole: boolean): string => {
  if (text === "" || (isWhole && text.length <= 384)) return text;
  return `…${text.slice(-383)}`;
};

const clip = (text: string): string => (text.length <= 512 ? text : `${text.slice(0, 511)}…`);
