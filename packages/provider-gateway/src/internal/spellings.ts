/**
 * How a text may spell a secret: the one list for all that hide some.
 */
import * as Base64 from "effect/encoding/Base64";
import * as Base64Url from "effect/encoding/Base64Url";

/** What is told instead of a secret. */
export const mask = "[redacted]";

/** Shorter values are no keys, and are parts of ordinary words. */
export const shortest = 8;

/**
 * A secret as it is, in JSON, in a URL and in base64, there also as the later part of a longer text; each spelling once,
 * the longest first. A value that is too short to be a key has no base64.
 */
export const of = (secret: string): ReadonlyArray<string> =>
  longestFirst([...alone(secret), ...(secret.length < shortest ? [] : within(secret))]);

/** The spellings of a secret that stands alone: what a stream is looked through for, where each one costs. */
export const alone = (secret: string): ReadonlyArray<string> => {
  if (secret === "") return [];
  const json = JSON.stringify(secret).slice(1, -1);
  const url = encodeURIComponent(secret);
  return longestFirst([
    secret,
    json,
    escaped(json),
    url,
    url.replaceAll(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase()),
    ...(secret.length < shortest ? [] : encodings.map((encode) => encode(secret)).flatMap(withEscaped)),
  ]);
};

const encodings = [Base64.encode, Base64Url.encode];

/** What is the same in the encodings of all longer texts that hold the secret. */
const within = (secret: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(secret);
  return encodings.flatMap((encode) =>
    [0, 1, 2].flatMap((before) => {
      const padded = new Uint8Array(before + bytes.length);
      padded.set(bytes, before);
      return withEscaped(encode(padded).slice(Math.ceil((before * 8) / 6), Math.floor((padded.length * 8) / 6)));
    }),
  );
};

const withEscaped = (text: string): ReadonlyArray<string> => [text, escaped(text)];

const escaped = (text: string): string => text.replaceAll("/", String.raw`\/`);

const longestFirst = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(texts)].toSorted((one, other) => other.length - one.length);
