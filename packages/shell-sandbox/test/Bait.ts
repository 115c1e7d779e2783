/**
 * What a command must not come by: a file, a variable and a port of this machine.
 */
import type { ShellBait } from "@cahier/testkit/laws/ShellLaws";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as fs from "node:fs";
import * as net from "node:net";
import * as os from "node:os";
import * as nodePath from "node:path";

const secret = "the-secret-of-this-host";
const variable = "CAHIER_TEST_BAIT";

export const make: Effect.Effect<ShellBait, Error, Scope.Scope> = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(nodePath.join(os.tmpdir(), "cahier-bait-"))),
    (path) => Effect.sync(() => fs.rmSync(path, { recursive: true, force: true })),
  );
  const path = nodePath.join(folder, "bait.txt");
  fs.writeFileSync(path, secret);
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      process.env[variable] = secret;
    }),
    () =>
      Effect.sync(() => {
        delete process.env[variable];
      }),
  );
  const came = { count: 0 };
  const server = yield* Effect.acquireRelease(listen(came), close);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { path, secret, variable, port, visits: Effect.sync(() => came.count) };
});

const listen = (came: { count: number }): Effect.Effect<net.Server, Error> =>
  Effect.callback((resume) => {
    const server = net.createServer((socket) => {
      came.count += 1;
      socket.destroy();
    });
    server.once("error", (error) => resume(Effect.fail(error)));
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)));
  });

const close = (server: net.Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void));
  });
