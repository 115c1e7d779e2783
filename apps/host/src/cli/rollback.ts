/**
 * `cahier runs rollback`: the workspace of a run as it was at a checkpoint.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { rollBack, type RolledBackFile } from "@cahier/application/rollback/rollBack";
import { parseRunId } from "@cahier/application/run/RunReader";
import * as Effect from "effect/Effect";
import * as Host from "../composition/Host.ts";
import * as Output from "./Output.ts";
import { has, type ParsedCommand } from "./parse.ts";
import { printable } from "./printable.ts";
import { storageOf } from "./storageOf.ts";

/** Rolls back and says which files are others now, and how to undo it. */
export const rollback = Effect.fn("cli.rollback")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [run = "", checkpoint = ""] = command.positionals;
  const runId = yield* parseRunId(run);
  return yield* Effect.gen(function* () {
    const done = yield* rollBack(runId, checkpoint);
    if (has(command, "json")) yield* Output.json(done);
    else if (done.undo === null) yield* Output.line(`The workspace is as it was at ${done.checkpointId} already.`);
    else {
      for (const file of done.changes) yield* Output.line(`${words[file.status].padEnd(9)} ${printable(file.path)}`);
      yield* Output.line(`${done.undo} names the workspace as it was before; roll back to it to undo this.`);
    }
    return 0;
  }).pipe(Effect.provide(Host.layer(storageOf(command))), Effect.scoped);
});

const words: { readonly [Status in RolledBackFile["status"]]: string } = {
  added: "back",
  modified: "changed",
  deleted: "gone",
};
