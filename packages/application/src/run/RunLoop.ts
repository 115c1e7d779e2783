/**
 * The loop of one invocation: ask `nextStep`, carry the step out, write down what happened, until the run has ended.
 *
 * Resuming is this same loop on a folded journal. Does not own who may run it (`Runs`).
 */
import type { Denied, Fatal } from "@cahier/domain/failure/Failure";
import { draft } from "@cahier/domain/run/RunEvent";
import { nextStep, type Step } from "@cahier/domain/run/nextStep";
import * as Effect from "effect/Effect";
import { isHostTrouble, resumable } from "../failure/hostTrouble.ts";
import { callModel, requestModel } from "./steps/requestModel.ts";
import { cancel, fail, finish } from "./steps/endRun.ts";
import { recoverDrift } from "./steps/recoverDrift.ts";
import { allowedBy } from "./steps/recordResponse.ts";
import { recordUnknownOutcome, runTool } from "./steps/runTool.ts";
import { settleCommit } from "./steps/settleCommit.ts";
import { changeStatus, type RunContext } from "./RunContext.ts";
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
    const takeBack = writer.mark();
    yield* carryOut(context, step).pipe(
      Effect.catch((failure) =>
        isHostTrouble(failure) ? interrupt(writer, takeBack, failure) : recordFailure(context, failure),
      ),
    );
  }
});

const carryOut = (
  context: RunContext,
  step: Exclude<Step, { _tag: "Done" | "AwaitApproval" }>,
): Effect.Effect<void, Denied | Fatal> => {
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

/** A run that waits for people has no owner and holds nothing but its journal: whoever answers takes it up again. */
const waitForPeople = ({ writer, invocationId }: RunContext): Effect.Effect<void, Fatal> =>
  Effect.suspend(() => {
    changeStatus(writer, invocationId, "awaiting_approval", "approval");
    writer.record(draft("run_owner_changed", invocationId, { owner: null, reason: "awaiting_approval" }));
    return writer.flush;
  });

/** Allows what this process may allow without asking, and what was approved for the run; true when that was something. */
const approveUnattended = (context: RunContext, { calls, turn }: Extract<Step, { _tag: "AwaitApproval" }>): boolean => {
  const { writer, invocationId } = context;
  const drafts = calls.flatMap(({ approval, callId, toolId }) => {
    const by = toolId === null ? undefined : allowedBy(context, toolId);
    return toolId === null || by === undefined || approval === null
      ? []
      : [
          draft("tool_call_approved", invocationId, {
            round: turn.round,
            invocationId,
            callId,
            toolId,
            argumentsSha256: approval.argumentsSha256,
            by,
          }),
        ];
  });
  writer.record(...drafts);
  return drafts.length > 0;
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
