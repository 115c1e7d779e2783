/**
 * How a command that carries no run on answers to a stop signal: it ends at once.
 */
import { HostProcess } from "@cahier/ports/HostProcess";
import * as Effect from "effect/Effect";
import * as Output from "./Output.ts";
import { has, type ParsedCommand } from "./parse.ts";

/** Exit code 130 when the process is asked to stop before the command is done. */
export const stoppable = <E, R>(
  command: ParsedCommand,
  work: Effect.Effect<number, E, R>,
): Effect.Effect<number, E, R | HostProcess> =>
  Effect.flatMap(HostProcess, (host) =>
    Effect.raceFirst(work, Effect.andThen(host.stopRequested, stoppedEarly(command))),
  );

/** The value of `work`, or undefined when the process is asked to stop first; `work` is interrupted then. */
export const unlessStopped = <A, E, R>(
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A | undefined, E, R | HostProcess> =>
  Effect.flatMap(HostProcess, (host) => Effect.raceFirst(work, Effect.as(host.stopRequested, undefined)));

/** Says that the command was stopped before it had done anything; gives its exit code. */
export const stoppedEarly = (command: ParsedCommand): Effect.Effect<number> =>
  Effect.as(has(command, "json") && !has(command, "follow") ? Output.json(stopped) : Effect.void, 130);

const stopped = { runId: null, status: "cancelled", committed: [] };
