/** Lines that servers of tests report, and waiting for one of them. */
import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";

export interface Reports {
  readonly lines: ReadonlyArray<string>;
  readonly report: (line: string) => void;
  /** The first line, past or to come, that starts so. */
  readonly line: (start: string) => Effect.Effect<string>;
}

export const make = (): Reports => {
  const lines: Array<string> = [];
  const waiting = new Set<(line: string) => void>();
  return {
    lines,
    report: (line) => {
      lines.push(line);
      waiting.forEach((look) => look(line));
    },
    line: (start) =>
      Effect.callback<string>((resume) => {
        const found = lines.find((line) => line.startsWith(start));
        if (found !== undefined) return resume(Effect.succeed(found));
        const look = (line: string) => {
          if (!line.startsWith(start)) return;
          waiting.delete(look);
          resume(Effect.succeed(line));
        };
        waiting.add(look);
        return Effect.sync(() => waiting.delete(look));
      }),
  };
};

/**
 * Takes the lines of processes on a loopback port, each acknowledged with a byte; closed with the scope. When a connection is
 * over, which it is at the latest when its process is, that is a line as well: `over <its first line>`.
 */
export const listen = (reports: Reports) =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>();
    const bound = yield* Deferred.make<number>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      const lines = createInterface({ input: socket });
      lines.once("line", (line) => socket.once("close", () => reports.report(`over ${line}`)));
      lines.on("error", () => socket.destroy());
      lines.on("line", (line) => {
        reports.report(line);
        socket.write(".");
      });
    });
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        server.listen(0, "127.0.0.1", () =>
          Deferred.doneUnsafe(bound, Effect.succeed((server.address() as AddressInfo).port)),
        ),
      ),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void));
          sockets.forEach((socket) => socket.destroy());
        }),
    );
    return yield* Deferred.await(bound);
  });
