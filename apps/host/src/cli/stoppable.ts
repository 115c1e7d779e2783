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
    Effect.raceFirst(
      work,
      host.stopRequested.pipe(
        Effect.andThen(has(command, "json") && !has(command, "follow") ? Output.json(stopped) : Effect.void),
        Effect.as(130),
      ),
    ),
  );

const stopped = { runId: null, status: "cancelled", committed: [] };
