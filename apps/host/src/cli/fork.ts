/**
 * `cahier runs fork`: a new run that goes on from a moment of another one.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { forkRun } from "@cahier/application/fork/forkRun";
import { parseRunId } from "@cahier/application/run/RunReader";
import * as Effect from "effect/Effect";
import * as Runtime from "../composition/Runtime.ts";
import { carryOnOptions } from "./carryOnOptions.ts";
import { askedModel } from "./askedModel.ts";
import { untilEnd } from "./carryOn.ts";
import { extensionOptions } from "./extensionOptions.ts";
import { invalid, type ParsedCommand, valueOf } from "./parse.ts";
import { isPoint, pointOf } from "./point.ts";
import { promptOptions } from "./promptMaterial.ts";
import { readProfile } from "./readInput.ts";
import { stoppedEarly, unlessStopped } from "./stoppable.ts";
import { storageOf } from "./storageOf.ts";
import { withExtensions } from "./withExtensions.ts";

/** Forks the run and carries the fork on; what no option changes is the run's own. */
export const fork = Effect.fn("cli.fork")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [run = "", moment = ""] = command.positionals;
  const runId = yield* parseRunId(run);
  if (!isPoint(moment)) return yield* invalid(`"${moment}" is no number of an event and no checkpoint.`);
  const message = valueOf(command, "message");
  if (message?.trim() === "") return yield* invalid("--message needs some text.");
  const options = yield* carryOnOptions(command);
  const extensions = yield* extensionOptions(command);
  const model = yield* askedModel(command);
  const prompt = yield* promptOptions(command);
  const profile =
    valueOf(command, "profile") === undefined ? undefined : yield* readProfile(valueOf(command, "profile"));
  const work = Effect.gen(function* () {
    const forked = forkRun(runId, pointOf(moment), {
      ...options,
      ...(message === undefined ? {} : { message }),
      ...(model === undefined ? {} : { model }),
      ...(profile === undefined ? {} : { profile }),
    });
    const handle = yield* unlessStopped(forked);
    return handle === undefined
      ? yield* stoppedEarly(command)
      : yield* untilEnd(command, handle, handle.forkedFrom.seq, options);
  });
  return yield* withExtensions(command, extensions, work).pipe(
    Effect.provide(Runtime.layer({ storage: storageOf(command), prompt })),
    Effect.scoped,
  );
});
