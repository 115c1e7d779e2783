/** Whether a text is longer on the wire, as UTF-8, than so many bytes. Short ones are not even counted. */
export const isLongerThan = (text: string, bytes: number): boolean =>
  text.length * mostBytesOfUnit > bytes && encoder.encode(text).length > bytes;

const mostBytesOfUnit = 3;

const encoder = new TextEncoder();
