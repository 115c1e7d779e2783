/**
 * The loop of one invocation: ask `nextStep`, carry the step out, write down what happened, until the run has ended.
 *
 * Resuming is this same loop on a folded journal. Does not own who may run it (`Runs`).
 */
import type { Denied, Fatal } from "@cahier/domain/failure/Failure";
import { nextStep, type Step } from "@cahier/domain/run/nextStep";
import * as Effect from "effect/Effect";
import { callModel, requestModel } from "./steps/requestModel.ts";
import { cancel, fail, finish } from "./steps/endRun.ts";
import { recoverDrift } from "./steps/recoverDrift.ts";
import { recordUnknownOutcome, runTool } from "./steps/runTool.ts";
import { settleCommit } from "./steps/settleCommit.ts";
import type { RunContext } from "./RunContext.ts";

/** Runs until there is nothing left to do. A failure of the journal itself is all that escapes. */
export const run = Effect.fn("RunLoop.run")(function* (context: RunContext): Effect.fn.Return<void, Fatal> {
  const { writer, invocationId } = context;
  for (;;) {
    const step = nextStep(writer.state(), invocationId);
    if (step._tag === "Done") return yield* writer.flush;
    yield* carryOut(context, step).pipe(Effect.catch((failure) => recordFailure(context, failure)));
  }
});

const carryOut = (context: RunContext, step: Exclude<Step, { _tag: "Done" }>): Effect.Effect<void, Denied | Fatal> => {
  switch (step._tag) {
    case "RequestModel":
      return Effect.sync(() => requestModel(context, step));
    case "CallModel":
      return callModel(context, step);
    case "RunTool":
      return runTool(context, step);
    case "SettleCommit":
      return settleCommit(context, step);
    case "RecordUnknownOutcome":
      return recordUnknownOutcome(context, step);
    case "RecoverDrift":
      return recoverDrift(context, step);
    case "Finish":
      return Effect.sync(() => finish(context.writer, context.invocationId));
    case "Fail":
      return Effect.sync(() => fail(context.writer, context.invocationId, step));
    case "Cancel":
      return Effect.sync(() => cancel(context.writer, context.invocationId));
    default:
      return step satisfies never;
  }
};

/** Writes the terminal event. When the journal refuses that too, its refusal ends the loop. */
const recordFailure = (context: RunContext, failure: Denied | Fatal): Effect.Effect<void, Fatal> =>
  Effect.suspend(() => {
    const { reason } = failure;
    fail(context.writer, context.invocationId, reason);
    return context.writer.flush;
  });
