/**
 * Lengths of text in bytes of UTF-8 and in Unicode scalars, without making the bytes.
 *
 * A lone surrogate counts as the replacement character (three bytes, one scalar), as every encoder writes it.
 */

/** Bytes of the UTF-8 encoding of `text` between two UTF-16 offsets. */
export const byteLength = (text: string, start = 0, end: number = text.length): number => {
  if (end - start > shortSpan) return encoder.encode(text.slice(start, end)).length;
  let bytes = end - start;
  for (let index = start; index < end; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    if (isPairAt(text, index, end)) index++;
  }
  return bytes;
};

/**
 * The UTF-16 offset that lies `bytes` bytes of UTF-8 after the offset `start`, or undefined when no character begins
 * there.
 */
export const offsetOfByte = (text: string, bytes: number, start = 0): number | undefined => {
  let index = start;
  let left = bytes;
  // A unit has at most three bytes, so a span of a third of the bytes never goes too far.
  for (let span = Math.floor(left / 3); span > shortSpan && index < text.length; span = Math.floor(left / 3)) {
    const end = Math.min(index + span, text.length);
    const whole = isPairAt(text, end - 1, text.length) ? end - 1 : end;
    left -= byteLength(text, index, whole);
    index = whole;
  }
  while (left > 0 && index < text.length) {
    const width = isPairAt(text, index, text.length) ? 2 : 1;
    left -= byteLength(text, index, index + width);
    index += width;
  }
  return left === 0 ? index : undefined;
};

/** Unicode scalars of `text` between two UTF-16 offsets. */
export const scalarLength = (text: string, start = 0, end: number = text.length): number => {
  let scalars = end - start;
  for (let index = start; index < end; index++) {
    if (isPairAt(text, index, end)) {
      scalars -= 1;
      index++;
    }
  }
  return scalars;
};

/** The UTF-16 offset that lies `scalars` after the offset `start`; the end of the text when it is shorter. */
export const offsetOfScalar = (text: string, scalars: number, start = 0): number => {
  let index = start;
  for (let left = scalars; left > 0 && index < text.length; left--) {
    index += isPairAt(text, index, text.length) ? 2 : 1;
  }
  return index;
};

/** True when a surrogate pair begins at `index` and ends before `end`. */
const isPairAt = (text: string, index: number, end: number): boolean => {
  const unit = text.charCodeAt(index);
  if (unit < 0xd800 || unit > 0xdbff || index + 1 >= end) return false;
  const next = text.charCodeAt(index + 1);
  return next >= 0xdc00 && next <= 0xdfff;
};

/** Spans up to this length are counted unit by unit; longer ones are cheaper to encode. */
const shortSpan = 256;

const encoder = new TextEncoder();
