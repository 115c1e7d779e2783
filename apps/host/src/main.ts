#!/usr/bin/env node
/**
 * The entry of the program. `--version` and `--help` are answered before anything else is loaded.
 */
import { helpFor, version } from "./cli/usage.ts";

const argv = process.argv.slice(2);

/** A reader that closes the pipe has seen enough; that is no failure. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(process.exitCode ?? 0);
});

const quick = argv[0] === "--version" ? `${version}\n` : helpFor(argv);
if (quick !== undefined) {
  process.stdout.write(quick);
} else {
  const [Effect, { execute }] = await Promise.all([import("effect/Effect"), import("./cli/execute.ts")]);
  process.exitCode = await Effect.runPromise(execute(argv));
}
