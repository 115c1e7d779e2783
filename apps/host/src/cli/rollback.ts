/**
 * `cahier runs rollback`: the workspace of a run, or the message that it published, as it was at a checkpoint.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import type { MessageRollback } from "@cahier/domain/run/event/rollback";
import { rollBack, type RolledBackFile } from "@cahier/application/rollback/rollBack";
import { rollBackMessage } from "@cahier/application/rollback/rollBackMessage";
import { parseRunId } from "@cahier/application/run/RunReader";
import * as Effect from "effect/Effect";
import * as Host from "../composition/Host.ts";
import * as Runtime from "../composition/Runtime.ts";
import * as Output from "./Output.ts";
import { has, type ParsedCommand, wordOf } from "./parse.ts";
import { printable } from "./printable.ts";
import { storageOf } from "./storageOf.ts";

/** Rolls back, says what is another now, and how to undo it. */
export const rollback = Effect.fn("cli.rollback")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const [run = "", checkpoint = ""] = command.positionals;
  const scope = yield* wordOf(command, "scope", ["workspace", "committed-message"]);
  const runId = yield* parseRunId(run);
  return scope === "committed-message"
    ? yield* message(command, runId, checkpoint)
    : yield* workspace(command, runId, checkpoint);
});

const workspace = (command: ParsedCommand, runId: RunId, checkpoint: string) =>
  Effect.gen(function* () {
    const done = yield* rollBack(runId, checkpoint);
    if (has(command, "json")) yield* Output.json(done);
    else if (done.undo === null) yield* Output.line(`The workspace is as it was at ${done.checkpointId} already.`);
    else {
      for (const file of done.changes) yield* Output.line(`${words[file.status].padEnd(9)} ${printable(file.path)}`);
      yield* Output.line(`${done.undo} names the workspace as it was before; roll back to it to undo this.`);
    }
    return 0;
  }).pipe(Effect.provide(Host.layer(storageOf(command))), Effect.scoped);

const message = (command: ParsedCommand, runId: RunId, checkpoint: string) =>
  Effect.gen(function* () {
    const done = yield* rollBackMessage(runId, checkpoint);
    if (has(command, "json")) yield* Output.json(done);
    else if (done.action === null) yield* Output.line(`The message is as it was at ${done.checkpointId} already.`);
    else {
      yield* Output.line(actions[done.action]);
      if (done.undo !== null)
        yield* Output.line(`At ${done.undo} the message was as before; roll it back to that to undo this.`);
    }
    return 0;
  }).pipe(Effect.provide(Runtime.layer({ storage: storageOf(command), callsModels: false })), Effect.scoped);

const words: { readonly [Status in RolledBackFile["status"]]: string } = {
  added: "back",
  modified: "changed",
  deleted: "gone",
};

const actions: { readonly [Action in MessageRollback]: string } = {
  replace: "The message in the chat has its earlier text.",
  withdraw: "The message is taken out of the chat.",
  restore: "The message is in the chat again.",
};
