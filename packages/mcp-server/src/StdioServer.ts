/**
 * Serves an offer on standard input and output, for a client that starts this program.
 *
 * Owns the connection. Standard output carries the protocol alone: whoever runs this writes nothing else there, and what is
 * logged here goes to standard error.
 */
import type { Readable, Writable } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import * as Effect from "effect/Effect";
import * as Logger from "effect/Logger";
import { limits } from "./internal/limits.ts";
import * as Serving from "./internal/Serving.ts";
import { wholeLines } from "./internal/wholeLines.ts";
import type { Offer } from "./Offer.ts";

/** The streams of this process by default. */
export interface Streams {
  readonly input?: Readable;
  readonly output?: Writable;
}

/**
 * Serves until the client closes its end, or a message is larger than 16 MiB; what it still waits for is interrupted, and the
 * input is closed. Speaks whichever era of the protocol the client opens with.
 */
export const run = Effect.fn("McpServer.stdio")(
  function* (offer: Offer, { input = process.stdin, output = process.stdout }: Streams = {}) {
    const factory = yield* Serving.make(offer);
    const lines = yield* Effect.acquireRelease(
      Effect.sync(() => wholeLines(input, limits.messageBytes)),
      (opened) =>
        Effect.sync(() => {
          opened.destroy();
          input.destroy();
        }),
    );
    yield* Effect.callback<void>((resume) => {
      // What comes at once is a line of the most that is read, and the beginning of the next one.
      const transport = new Connection(lines, output, { maxBufferSize: limits.messageBytes * 2 });
      transport.ended = () => resume(Effect.void);
      const connection = serveStdio(factory, { transport });
      return Effect.promise(() => connection.close());
    });
  },
  Effect.scoped,
  Effect.provideService(Logger.LogToStderr, true),
);

/** Tells when it has ended, whoever has ended it. */
class Connection extends StdioServerTransport {
  ended = (): void => undefined;

  override async close(): Promise<void> {
    await super.close();
    this.ended();
  }
}
