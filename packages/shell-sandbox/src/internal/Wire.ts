/**
 * Messages over a stream: the length of each in four bytes, then its structured clone.
 *
 * Owns that a large message costs its own size and not more, which Node's channel between processes does not give. Does not own
 * what the messages say.
 */
import type { Readable, Writable } from "node:stream";
import * as v8 from "node:v8";

/** Sends a value; the stream keeps what the other side does not take yet. */
export const send = (stream: Writable, value: unknown): void => {
  const body = v8.serialize(value);
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(body.length);
  stream.write(head);
  stream.write(body);
};

export interface Receiver {
  /** Each value in order; byte arrays in it are views of the message. */
  readonly onValue: (value: unknown) => void;
  /** A message is longer than any may be, or cannot be read. The stream is then of no use any more. */
  readonly onBroken: () => void;
  readonly mostBytes: number;
}

/** Hears the values of a stream from now on. */
export const receive = (stream: Readable, { mostBytes, onBroken, onValue }: Receiver): void => {
  const waiting = { chunks: [] as Array<Buffer>, bytes: 0, broken: false };
  const take = (bytes: number): Buffer => {
    const all = waiting.chunks.length === 1 ? (waiting.chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(waiting.chunks);
    waiting.chunks = all.length > bytes ? [all.subarray(bytes)] : [];
    waiting.bytes -= bytes;
    return all.subarray(0, bytes);
  };
  const state: { length: number | null } = { length: null };
  const next = (): boolean => {
    if (state.length === null) {
      if (waiting.bytes < headBytes) return false;
      state.length = take(headBytes).readUInt32LE();
      if (state.length > mostBytes) throw new RangeError("A message is too long.");
    }
    if (waiting.bytes < state.length) return false;
    const body = take(state.length);
    state.length = null;
    onValue(v8.deserialize(body));
    return true;
  };
  stream.on("data", (chunk: Buffer) => {
    if (waiting.broken) return;
    waiting.chunks.push(chunk);
    waiting.bytes += chunk.length;
    try {
      while (next());
    } catch {
      waiting.broken = true;
      waiting.chunks = [];
      onBroken();
    }
  });
};

const headBytes = 4;
