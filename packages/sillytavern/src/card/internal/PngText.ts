/**
 * The texts in a PNG image: chunks `tEXt`, and `zTXt` and `iTXt` as other programs write them.
 *
 * Owns chunks, checksums and unpacking. The image itself is passed over, so a damaged picture does not lose its card.
 */
import { crc32, inflateSync } from "node:zlib";

/** `problem`: the checksum is wrong, or the text cannot be unpacked. */
export interface PngText {
  readonly text: string;
  readonly problem: "crc" | "packed" | null;
}

/** Whether the bytes begin as a PNG image does. */
export const isPng = (bytes: Uint8Array): boolean => signature.every((byte, at) => bytes[at] === byte);

/**
 * The first text of each keyword, keywords in lower case. `isComplete` is false where the image is cut off: the texts
 * before that are given.
 */
export const texts = (
  bytes: Uint8Array,
  keywords: ReadonlyArray<string>,
): { readonly texts: ReadonlyMap<string, PngText>; readonly isComplete: boolean } => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = new Map<string, PngText>();
  let at = signature.length;
  while (at + 12 <= bytes.length) {
    const length = view.getUint32(at);
    const end = at + 8 + length;
    if (end + 4 > bytes.length) return { texts: found, isComplete: false };
    const type = latin1(bytes.subarray(at + 4, at + 8));
    if (type === "IEND") return { texts: found, isComplete: true };
    const data = bytes.subarray(at + 8, end);
    const keyword = textTypes.has(type) ? latin1(data.subarray(0, Math.max(data.indexOf(0), 0))).toLowerCase() : "";
    if (keywords.includes(keyword) && !found.has(keyword)) {
      const isIntact = crc32(bytes.subarray(at + 4, end)) === view.getUint32(end);
      found.set(keyword, isIntact ? unpack(type, data.subarray(keyword.length + 1)) : { text: "", problem: "crc" });
    }
    at = end + 4;
  }
  return { texts: found, isComplete: false };
};

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

const textTypes: ReadonlySet<string> = new Set(["tEXt", "zTXt", "iTXt"]);

/** Beyond this a packed text is taken for an attack. */
const largestText = 64 * 1024 * 1024;

/** `data` begins after the keyword. */
const unpack = (type: string, data: Uint8Array): PngText => {
  if (type === "tEXt") return { text: latin1(data), problem: null };
  if (type === "zTXt") return inflate(data.subarray(1));
  const language = data.indexOf(0, 2);
  const translated = language === -1 ? -1 : data.indexOf(0, language + 1);
  if (translated === -1) return { text: "", problem: "packed" };
  const text = data.subarray(translated + 1);
  return data[0] === 1 ? inflate(text) : { text: latin1(text), problem: null };
};

const inflate = (data: Uint8Array): PngText => {
  try {
    return { text: latin1(inflateSync(data, { maxOutputLength: largestText })), problem: null };
  } catch {
    return { text: "", problem: "packed" };
  }
};

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
