/**
 * A stream that gives what another one gives, but whole lines at once.
 *
 * A long line comes in many pieces, and whoever looks for its end in all of them again at each piece takes time that grows with the
 * square of its length.
 */
import { pipeline, type Readable, Transform } from "node:stream";

/** Ends with the other, and that with it. A line of more than so many bytes is an error, which ends both. */
export const wholeLines = (input: Readable, mostBytes: number): Readable => {
  const rest: { pieces: Array<Buffer>; bytes: number } = { pieces: [], bytes: 0 };
  const lines = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const end = chunk.lastIndexOf("\n") + 1;
      if (end > 0) this.push(Buffer.concat([...rest.pieces.splice(0), chunk.subarray(0, end)]));
      rest.pieces.push(chunk.subarray(end));
      rest.bytes = (end > 0 ? 0 : rest.bytes) + chunk.length - end;
      done(rest.bytes > mostBytes ? new Error(`a line has more than ${mostBytes} bytes`) : null);
    },
  });
  // How either ends is seen by whoever reads the lines.
  pipeline(input, lines, () => undefined);
  return lines;
};
