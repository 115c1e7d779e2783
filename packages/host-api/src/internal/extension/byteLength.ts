/** The number of bytes of a text as UTF-8, which is how long it is on the wire. */
export const byteLength = (text: string): number => encoder.encode(text).length;

const encoder = new TextEncoder();
