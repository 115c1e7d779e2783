/**
 * Cuts a text that goes into an event to a length in bytes.
 */

/** What stands at the end of a text that was cut. */
export const cutMark = " [cut]";

/** `text` in well-formed Unicode if it takes at most `maxBytes` of UTF-8; else as many whole characters as fit with the mark. */
export const cutText = (text: string, maxBytes: number): string => {
  const wellFormed = text.toWellFormed();
  const encoder = new TextEncoder();
  const { read } = encoder.encodeInto(wellFormed, new Uint8Array(maxBytes));
  if (read === wellFormed.length) return wellFormed;
  const kept = encoder.encodeInto(wellFormed, new Uint8Array(maxBytes - cutMark.length)).read;
  return `${wellFormed.slice(0, kept)}${cutMark}`;
};
