/**
 * `cahier runs approve` and `cahier runs deny`: answering a call that a run waits for, from any process.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { CallId } from "@cahier/domain/identity/Identity";
import type { ApprovalAnswer } from "@cahier/domain/run/decideApproval";
import { outcomeOf } from "@cahier/application/run/RunOutcome";
import { parseRunId, showRun } from "@cahier/application/run/RunReader";
import { Runs } from "@cahier/application/run/Runs";
import * as Effect from "effect/Effect";
import * as Runtime from "../composition/Runtime.ts";
import { leaveWaiting, untilEnd } from "./carryOn.ts";
import { lastSeqOf } from "./lastSeqOf.ts";
import * as Output from "./Output.ts";
import { has, invalid, type ParsedCommand, valueOf, wordOf } from "./parse.ts";
import { promptOptions } from "./promptMaterial.ts";
import { rememberedInProfile } from "./waitingCalls.ts";
import { storageOf } from "./storageOf.ts";

/** Allows the call and carries the run on; exit code 5 while other calls wait. */
export const approve = Effect.fn("cli.approve")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  const remember = yield* wordOf(command, "remember", ["run", "profile"]);
  const argumentsSha256 = valueOf(command, "arguments-sha256");
  if (argumentsSha256 !== undefined && !/^[0-9a-f]{64}$/.test(argumentsSha256))
    return yield* invalid("--arguments-sha256 takes the 64 digits that runs show prints.");
  return yield* answer(command, {
    approved: true,
    ...(remember === undefined ? {} : { remember }),
    ...(argumentsSha256 === undefined ? {} : { argumentsSha256 }),
  });
});

/** Refuses the call and carries the run on; exit code 5 while other calls wait. */
export const deny = Effect.fn("cli.deny")(function* (command: ParsedCommand): Effect.fn.Return<number, Fatal> {
  return yield* answer(command, { approved: false });
});

const answer = Effect.fnUntraced(function* (
  command: ParsedCommand,
  given: Omit<ApprovalAnswer, "callId">,
): Effect.fn.Return<number, Fatal> {
  const [run = "", call = ""] = command.positionals;
  const runId = yield* parseRunId(run);
  const reason = valueOf(command, "reason");
  const prompt = yield* promptOptions(command);
  return yield* Effect.gen(function* () {
    const runs = yield* Runs;
    const before = yield* lastSeqOf(runId);
    const handle = yield* runs.decide(runId, {
      ...given,
      callId: CallId.make(call),
      ...(reason === undefined ? {} : { reason }),
    });
    if (given.remember === "profile" && !has(command, "json")) yield* Output.line(rememberedInProfile);
    if (handle !== undefined) return yield* untilEnd(command, handle, before, {});
    const { state } = yield* showRun(runId);
    return yield* leaveWaiting(command, outcomeOf(runId, state), state);
  }).pipe(Effect.provide(Runtime.layer({ storage: storageOf(command), prompt })), Effect.scoped);
});
