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
export const of = (secret: string): ReadonlyArray<string> => {
  if (secret === "") return [];
  const json = JSON.stringify(secret).slice(1, -1);
  const url = encodeURIComponent(secret);
  const spellings = [
    secret,
    json,
    json.replaceAll("/", String.raw`\/`),
    url,
    url.replaceAll(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase()),
    ...(secret.length < shortest ? [] : encoded(secret)),
  ];
  return [...new Set(spellings)].toSorted((one, other) => other.length - one.length);
};

/** The encodings of a secret alone, and what is the same of all encodings of longer texts that hold it. */
const encoded = (secret: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(secret);
  return [Base64.encode, Base64Url.encode].flatMap((encode) => {
    const alone = encode(secret);
    const within = [0, 1, 2].map((before) => {
      const padded = new Uint8Array(before + bytes.length);
      padded.set(bytes, before);
      return encode(padded).slice(Math.ceil((before * 8) / 6), Math.floor((padded.length * 8) / 6));
    });
    return [
      alone,
      alone.replaceAll("/", String.raw`\/`),
      ...within,
      ...within.map((text) => text.replaceAll("/", String.raw`\/`)),
    ];
  });
};
