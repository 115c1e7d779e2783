/**
 * `cahier runs guide`: telling the agent of a run something, from any process.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { parseRunId } from "@cahier/application/run/RunReader";
import { Runs } from "@cahier/application/run/Runs";
import * as Effect from "effect/Effect";
import * as Runtime from "../composition/Runtime.ts";
import * as Output from "./Output.ts";
import { has, type ParsedCommand } from "./parse.ts";
import { stoppable } from "./stoppable.ts";
import { storageOf } from "./storageOf.ts";

/** Tells the agent of a run something before its next request, wherever the run is carried on. */
export const guide = Effect.fn("cli.guide")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [run = "", text = ""] = command.positionals;
  const runId = yield* parseRunId(run);
  const work = Effect.gen(function* () {
    const runs = yield* Runs;
    const queued = yield* runs.submitGuidance(runId, { text });
    const others = queued.pendingCount - 1;
    const beside = others < 1 ? "" : `, with ${others} more that ${others === 1 ? "waits" : "wait"}`;
    yield* has(command, "json")
      ? Output.json({ runId, ...queued })
      : Output.line(`The agent is told before its next request${beside}.`);
    return 0;
  });
  return yield* stoppable(command, work).pipe(
    Effect.provide(Runtime.layer({ storage: storageOf(command), callsModels: false })),
    Effect.scoped,
  );
});
