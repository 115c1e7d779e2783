/**
 * How each step of an invocation is carried out.
 */
import type { Denied, Fatal } from "@cahier/domain/failure/Failure";
import type { Step } from "@cahier/domain/run/nextStep";
import * as Effect from "effect/Effect";
import { atomically, invocationOf, type RunContext } from "./RunContext.ts";
import { callModel, requestModel } from "./steps/requestModel.ts";
import { applyGuidance, deliverResults } from "./steps/deliver.ts";
import { cancel, fail, finish } from "./steps/endRun.ts";
import { failChild, returnTask } from "./steps/endTask.ts";
import { recoverDrift } from "./steps/recoverDrift.ts";
import { publishState, withdrawState } from "./steps/publishState.ts";
import { recoverCall } from "./steps/recoverCall.ts";
import { runTool } from "./steps/runTool.ts";
import { settleCommit } from "./steps/settleCommit.ts";
import { transfer } from "./steps/transfer.ts";
import { withinTime } from "./withinTime.ts";

/** Steps that only write down what follows from the state: they need no fiber. */
export type RecordStep = Extract<
  Step,
  { _tag: "RequestModel" | "Finish" | "Fail" | "Cancel" | "ReturnTask" | "Transfer" }
>;

/** Steps that do something. */
export type WorkStep = Exclude<
  Step,
  RecordStep | { _tag: "Done" | "AwaitApproval" | "AwaitTasks" | "PrepareInvocation" }
>;

const records: ReadonlySet<Step["_tag"]> = new Set([
  "RequestModel",
  "Finish",
  "Fail",
  "Cancel",
  "ReturnTask",
  "Transfer",
]);

export const isRecord = (step: Step): step is RecordStep => records.has(step._tag);

/** Records what follows. The failure of a delegated agent is its task's. */
export const carryOutRecord = (context: RunContext, step: RecordStep): void => {
  const { invocationId, writer } = context;
  switch (step._tag) {
    case "RequestModel":
      return requestModel(context, step);
    case "Finish":
      return finish(writer, invocationId);
    case "Fail":
      return invocationOf(context).kind === "subagent"
        ? failChild(writer, invocationId, step)
        : fail(writer, invocationId, step);
    case "Cancel":
      return cancel(writer, invocationId);
    case "ReturnTask":
      return returnTask(writer, step.task);
    case "Transfer":
      return transfer(context);
    default:
      return step satisfies never;
  }
};

/** Does what the step says and records what came of it. */
export const carryOut = (
  context: RunContext,
  step: WorkStep | Extract<Step, { _tag: "PrepareInvocation" }>,
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
      return atomically(context, recoverDrift(context, step));
    case "DeliverResults":
      return atomically(context, deliverResults(context, step));
    case "ApplyGuidance":
      return atomically(context, applyGuidance(context, step));
    case "PublishState":
      return context.writer.exclusively(publishState(context));
    case "WithdrawState":
      return context.writer.exclusively(withdrawState(context, step));
    case "PrepareInvocation":
      return Effect.void;
    default:
      return step satisfies never;
  }
};
