/**
 * `cahier runs approve` and `cahier runs deny`: answering a call that a run waits for, from any process.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { CallId } from "@cahier/domain/identity/Identity";
import type { ApprovalAnswer } from "@cahier/domain/run/decideApproval";
import { outcomeOf } from "@cahier/application/run/RunOutcome";
import { parseRunId, type ShownRun, showRun } from "@cahier/application/run/RunReader";
import { Runs } from "@cahier/application/run/Runs";
import * as Effect from "effect/Effect";
import * as Runtime from "../composition/Runtime.ts";
import { leaveWaiting, untilEnd } from "./carryOn.ts";
import { carryOnOptions } from "./carryOnOptions.ts";
import { extensionOptions } from "./extensionOptions.ts";
import { exitCodeOf } from "./exitCode.ts";
import { lastSeqOf } from "./lastSeqOf.ts";
import * as Output from "./Output.ts";
import { has, invalid, type ParsedCommand, valueOf, wordOf } from "./parse.ts";
import { promptOptions } from "./promptMaterial.ts";
import { storageOf } from "./storageOf.ts";
import { goOnWith, rememberedInProfile, waitingCallsOf } from "./waitingCalls.ts";
import { withExtensions } from "./withExtensions.ts";
import { wordsOf } from "./wordsOf.ts";

/** Allows the call and carries the run on; exit code 5 while other calls wait and nobody works. */
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

/** Refuses the call and carries the run on; exit code 5 while other calls wait and nobody works. */
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
  const options = yield* carryOnOptions(command);
  const extensions = yield* extensionOptions(command);
  const prompt = yield* promptOptions(command);
  const work = Effect.gen(function* () {
    const runs = yield* Runs;
    const before = yield* lastSeqOf(runId);
    const handle = yield* runs.decide(
      runId,
      { ...given, callId: CallId.make(call), ...(reason === undefined ? {} : { reason }) },
      options,
    );
    if (given.remember === "profile" && !has(command, "json")) yield* Output.line(rememberedInProfile);
    if (handle !== undefined) return yield* untilEnd(command, handle, before, options);
    // It waits on for other answers, or another process goes on with it.
    return yield* tellStanding(command, yield* showRun(runId));
  });
  return yield* withExtensions(command, extensions, work).pipe(
    Effect.provide(Runtime.layer({ storage: storageOf(command), prompt })),
    Effect.scoped,
  );
});

/** Says how a run stands that is not carried on here, and gives the exit code of that. */
const tellStanding = Effect.fnUntraced(function* (command: ParsedCommand, { standing, state }: ShownRun) {
  const { runId } = state;
  if (runId === null) return 0;
  const outcome = outcomeOf(runId, state);
  if (standing === "waiting") return yield* leaveWaiting(command, outcome, state);
  const isRunning = standing === "running";
  const awaiting = waitingCallsOf(state);
  if (has(command, "json")) {
    yield* Output.json({ ...outcome, ...(isRunning ? { status: state.status, awaiting } : {}) });
    return isRunning ? 0 : exitCodeOf(outcome);
  }
  if (!isRunning) {
    yield* Output.line(`${runId}: ${wordsOf(outcome)}`);
    return exitCodeOf(outcome);
  }
  const [next] = awaiting;
  yield* Output.line("The process that carries the run on has taken the answer and goes on.");
  if (next !== undefined)
    yield* Output.line(`It waits for another answer meanwhile: ${goOnWith(command, runId, next.callId)}`);
  return 0;
});
