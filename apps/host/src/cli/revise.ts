/**
 * `cahier runs revise`: what a completed run has published, changed as its user asks.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { reviseRun } from "@cahier/application/revision/reviseRun";
import { parseRunId } from "@cahier/application/run/RunReader";
import * as Effect from "effect/Effect";
import * as Runtime from "../composition/Runtime.ts";
import { carryOnOptions } from "./carryOnOptions.ts";
import { untilEnd } from "./carryOn.ts";
import { extensionOptions } from "./extensionOptions.ts";
import { lastSeqOf } from "./lastSeqOf.ts";
import type { ParsedCommand } from "./parse.ts";
import { promptOptions } from "./promptMaterial.ts";
import { stoppedEarly, unlessStopped } from "./stoppable.ts";
import { storageOf } from "./storageOf.ts";
import { withExtensions } from "./withExtensions.ts";

/** Begins the revision and carries it on to its end; its commit replaces the message. */
export const revise = Effect.fn("cli.revise")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [run = "", text = ""] = command.positionals;
  const runId = yield* parseRunId(run);
  const options = yield* carryOnOptions(command);
  const extensions = yield* extensionOptions(command);
  const prompt = yield* promptOptions(command);
  const work = Effect.gen(function* () {
    const before = yield* lastSeqOf(runId);
    const handle = yield* unlessStopped(reviseRun(runId, text, options));
    return handle === undefined ? yield* stoppedEarly(command) : yield* untilEnd(command, handle, before, options);
  });
  return yield* withExtensions(command, extensions, work).pipe(
    Effect.provide(Runtime.layer({ storage: storageOf(command), prompt })),
    Effect.scoped,
  );
});
