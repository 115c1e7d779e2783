/**
 * A process of its own that prints who it is, then a line when it is asked to stop, and lives on until its standard
 * input ends.
 */
import { HostProcess } from "@cahier/ports/HostProcess";
import * as Effect from "effect/Effect";
import * as NodeHostProcess from "../../src/process/NodeHostProcess.ts";

const say = (value: unknown) => Effect.sync(() => void process.stdout.write(`${JSON.stringify(value)}\n`));

const standardInputEnded = Effect.callback<void>((resume) => {
  process.stdin.once("end", () => resume(Effect.void)).resume();
});

const program = Effect.gen(function* () {
  const host = yield* HostProcess;
  yield* say(host.self);
  yield* Effect.forkChild(Effect.andThen(host.stopRequested, say("stop requested")));
  yield* standardInputEnded;
});

await Effect.runPromise(program.pipe(Effect.provide(NodeHostProcess.layer)));
