/**
 * Makes text from a server or a URL fit for an operator's eyes.
 */
import * as spellings from "./spellings.ts";

/** At most so many bytes of an upstream body stand in a fault. */
const previewBytes = 512;

/** The URL without credentials, query and fragment. */
export const endpoint = (url: URL): string => url.origin + url.pathname;

/**
 * The beginning of a body: secrets replaced, control characters as spaces, at most 512 bytes of whole characters.
 * An end that is the first part of a secret goes too: the body may have been cut there.
 */
export const preview = (text: string, secrets: ReadonlyArray<string>): string =>
  clip(
    all(text, secrets)
      // oxlint-disable-next-line no-control-regex -- a server's control characters must not reach a terminal
      .replaceAll(/[\u0000-\u001F\u007F-\u009F]+/g, " ")
      .trim(),
  );

/** All of a text with secrets replaced; an end that is the first part of one too. */
export const all = (text: string, secrets: ReadonlyArray<string>): string =>
  secrets
    .flatMap(spellings.of)
    .reduce((hidden, secret) => withoutBrokenEnd(hidden.replaceAll(secret, spellings.mask), secret), text)
    .replaceAll(/\b(Bearer|Basic)\s+[^\s"'<>,;]+/gi, `$1 ${spellings.mask}`)
    .replaceAll(/\bsk-[\w-]{8,}/g, spellings.mask);

const withoutBrokenEnd = (text: string, secret: string): string => {
  for (let length = Math.min(secret.length - 1, text.length); length >= shortestPart; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + spellings.mask;
  }
  return text;
};

/** Shorter beginnings, such as `sk-`, tell nothing. */
const shortestPart = 4;

const clip = (text: string): string => {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= previewBytes) return text;
  // `stream` leaves out a character of which only a part is there.
  return new TextDecoder().decode(bytes.subarray(0, previewBytes - 3), { stream: true }) + "…";
};
