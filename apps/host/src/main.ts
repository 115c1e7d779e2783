#!/usr/bin/env node
/**
 * The entry of the program. `--version` and `--help` are answered before anything else is loaded.
 */
import { carriesRunOn, helpFor, version } from "./cli/usage.ts";

const argv = process.argv.slice(2);

/** A reader that closes the pipe has seen enough. What only looks at runs ends; a run goes on without being watched. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
    if (!carriesRunOn(argv)) process.exit(process.exitCode ?? 0);
  });
}

const quick = argv[0] === "--version" ? `${version}\n` : helpFor(argv);
if (quick !== undefined) {
  process.stdout.write(quick);
} else {
  const [Effect, { execute }] = await Promise.all([import("effect/Effect"), import("./cli/execute.ts")]);
  process.exitCode = await Effect.runPromise(execute(argv));
}
