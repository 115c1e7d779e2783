/**
 * The beginning of what a program writes to a stream; the rest is read and dropped, so that the program goes on.
 */
import type { ShellStream } from "@cahier/ports/Shell";
import type { Readable } from "node:stream";
import * as stream from "./stream.ts";

export interface Captured {
  /** What there is so far. */
  readonly stream: () => ShellStream;
}

/** Listens from now on and keeps `limit` bytes, and a few by which it knows that there were more. No stream is an empty one. */
export const from = (source: Readable | null, limit: number): Captured => {
  const kept: { readonly chunks: Array<Buffer>; bytes: number } = { chunks: [], bytes: 0 };
  source?.on("data", (chunk: Buffer) => {
    const room = limit + 4 - kept.bytes;
    if (room <= 0) return;
    const part = chunk.subarray(0, room);
    kept.chunks.push(part);
    kept.bytes += part.length;
  });
  source?.on("error", () => undefined);
  return { stream: () => stream.beginningOf(Buffer.concat(kept.chunks), limit) };
};
