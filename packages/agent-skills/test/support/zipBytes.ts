/**
 * Archives made byte by byte, so that they can say what no program would write.
 */
import { crc32, deflateRawSync } from "node:zlib";

/** What an entry holds, and what it pretends: the fields after `content` stand in the directory, and in the header unless `local` has others. */
export interface HandMadeEntry {
  readonly path: string;
  readonly content?: string | Uint8Array;
  readonly method?: number;
  readonly flags?: number;
  readonly crc?: number;
  readonly size?: number;
  readonly compressedSize?: number;
  readonly mode?: number;
  /** Places the entry at another's bytes instead of its own. */
  readonly offset?: number;
  readonly local?: { readonly path?: string; readonly size?: number };
}

export const zipBytes = (entries: ReadonlyArray<HandMadeEntry>): Uint8Array => {
  const locals: Array<Buffer> = [];
  const directory: Array<Buffer> = [];
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? "");
    const method = entry.method ?? 8;
    const data = method === 8 ? deflateRawSync(content) : content;
    const stated = (size: number | undefined): ReadonlyArray<number> => [
      entry.crc ?? crc32(content),
      entry.compressedSize ?? data.length,
      size ?? content.length,
    ];
    const offset = entry.offset ?? locals.reduce((sum, { length }) => sum + length, 0);
    const localName = Buffer.from(entry.local?.path ?? entry.path);
    const name = Buffer.from(entry.path);
    const common = [20, 0x0800 | (entry.flags ?? 0), method, 0, 0x21] as const;
    const header = [...shorts(common), ...longs(stated(entry.local?.size ?? entry.size))];
    locals.push(Buffer.concat([...longs([0x04034b50]), ...header, ...shorts([localName.length, 0]), localName, data]));
    directory.push(
      Buffer.concat([
        ...longs([0x02014b50]),
        ...shorts([0x0314, ...common]),
        ...longs(stated(entry.size)),
        ...shorts([name.length, 0, 0, 0, 0]),
        ...longs([(entry.mode ?? 0o100644) * 0x1_0000, offset]),
        name,
      ]),
    );
  }
  const before = Buffer.concat(locals);
  const listed = Buffer.concat(directory);
  const end = [...longs([0x06054b50]), ...shorts([0, 0, entries.length, entries.length])];
  return Buffer.concat([before, listed, ...end, ...longs([listed.length, before.length]), ...shorts([0])]);
};

const shorts = (values: ReadonlyArray<number>): ReadonlyArray<Buffer> =>
  values.map((value) => {
    const bytes = Buffer.alloc(2);
    bytes.writeUInt16LE(value);
    return bytes;
  });

const longs = (values: ReadonlyArray<number>): ReadonlyArray<Buffer> =>
  values.map((value) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value >>> 0);
    return bytes;
  });
