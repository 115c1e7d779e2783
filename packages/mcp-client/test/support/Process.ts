/** Servers over HTTP as processes of their own. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import * as Effect from "effect/Effect";

const before = fileURLToPath(new URL("../programs/onLoopback.ts", import.meta.url));

/** Starts a program of Node that serves HTTP, on a free loopback port; killed with the scope, or before. */
export const onLoopback = (given: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, ["--no-warnings", "--import", before, ...given], {
          stdio: ["ignore", "pipe", "ignore"],
        }),
      ),
      (started) =>
        Effect.callback<void>((resume) => {
          if (started.exitCode !== null || started.signalCode !== null) return resume(Effect.void);
          started.once("exit", () => resume(Effect.void));
          started.kill("SIGKILL");
        }),
    );
    const port = yield* Effect.callback<number>((resume) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (line.startsWith("port ")) resume(Effect.succeed(Number(line.slice("port ".length))));
      });
    });
    return { port, kill: Effect.sync(() => void child.kill("SIGKILL")) };
  });
