/**
 * The loop of one invocation: ask `nextStep`, carry the step out, write down what happened, until the run has ended.
 *
 * Resuming is this same loop on a folded journal. Does not own who may run it (`Runs`).
 */
import type { Denied, Fatal } from "@cahier/domain/failure/Failure";
import { nextStep, type Step } from "@cahier/domain/run/nextStep";
import * as Effect from "effect/Effect";
import { isHostTrouble, resumable } from "../failure/hostTrouble.ts";
import { withinTime } from "./withinTime.ts";
import { approveUnattended, waitForPeople } from "./steps/awaitApproval.ts";
import { callModel, requestModel } from "./steps/requestModel.ts";
import { cancel, fail, finish } from "./steps/endRun.ts";
import { recoverDrift } from "./steps/recoverDrift.ts";
import { publishState, withdrawState } from "./steps/publishState.ts";
import { recoverCall } from "./steps/recoverCall.ts";
import { runTool } from "./steps/runTool.ts";
import { settleCommit } from "./steps/settleCommit.ts";
import type { RunContext } from "./RunContext.ts";
import type { RunWriter } from "./RunWriter.ts";

/**
 * Runs until there is nothing left to do. What escapes is not of the run: a failure of its journal, or a trouble of this
 * host. The journal then ends before the step that met it, so that the step is done again by whoever resumes the run.
 */
export const run = Effect.fn("RunLoop.run")(function* (context: RunContext): Effect.fn.Return<void, Fatal> {
  const { writer, invocationId } = context;
  for (;;) {
    const step = nextStep(writer.state(), invocationId);
    if (step._tag === "Done") return yield* writer.flush;
    if (step._tag === "AwaitApproval") {
      if (approveUnattended(context, step)) continue;
      return yield* waitForPeople(context);
    }
    if (isRecord(step)) {
      carryOutRecord(context, step);
      continue;
    }
    const takeBack = writer.mark();
    yield* carryOut(context, step).pipe(
      Effect.catch((failure) =>
        isHostTrouble(failure) ? interrupt(writer, takeBack, failure) : recordFailure(context, failure),
      ),
    );
  }
});

/** Steps that only write down what follows from the state: they need no fiber. */
type RecordStep = Extract<Step, { _tag: "RequestModel" | "Finish" | "Fail" | "Cancel" }>;

const isRecord = (step: Step): step is RecordStep =>
  step._tag === "RequestModel" || step._tag === "Finish" || step._tag === "Fail" || step._tag === "Cancel";

const carryOutRecord = (context: RunContext, step: RecordStep): void => {
  switch (step._tag) {
    case "RequestModel":
      return requestModel(context, step);
    case "Finish":
      return finish(context.writer, context.invocationId);
    case "Fail":
      return fail(context.writer, context.invocationId, step);
    case "Cancel":
      return cancel(context.writer, context.invocationId);
    default:
      return step satisfies never;
  }
};

const carryOut = (
  context: RunContext,
  step: Exclude<Step, RecordStep | { _tag: "Done" | "AwaitApproval" }>,
): Effect.Effect<void, Denied | Fatal> => {
  switch (step._tag) {
    case "CallModel":
      return withinTime(context, callModel(context, step));
    case "RunTool":
      return withinTime(context, runTool(context, step));
    case "SettleCommit":
      return settleCommit(context, step);
    case "RecordUnknownOutcome":
      return withinTime(context, recoverCall(context, step));
    case "RecoverDrift":
      return recoverDrift(context, step);
    case "PublishState":
      return publishState(context);
    case "WithdrawState":
      return withdrawState(context, step);
    default:
      return step satisfies never;
  }
};

/** Leaves the step undone and appends the steps before it; then the trouble ends the loop. */
const interrupt = (writer: RunWriter, takeBack: () => void, failure: Denied | Fatal): Effect.Effect<never, Fatal> =>
  Effect.sync(takeBack).pipe(
    // When the journal is what failed it takes nothing more; the failure that is told is the same.
    Effect.andThen(Effect.ignore(writer.flush)),
    Effect.andThen(Effect.fail(resumable(failure))),
  );

/** Writes the terminal event. When the journal refuses that too, its refusal ends the loop. */
const recordFailure = (context: RunContext, failure: Denied | Fatal): Effect.Effect<void, Fatal> =>
  Effect.suspend(() => {
    const { reason } = failure;
    fail(context.writer, context.invocationId, reason);
    return context.writer.flush;
  });
