/** The steps that end a run: finished, failed, or cancelled. */
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import { hasChangedNothing } from "@cahier/domain/run/evolveRevision";
import { isRetryable, isUserRetryable } from "@cahier/domain/failure/Failure";
import type { InvocationId } from "@cahier/domain/identity/Identity";
import { draft } from "@cahier/domain/run/RunEvent";
import type { PayloadOf } from "@cahier/domain/run/RunEvent";
import { allTasks, taskOf } from "@cahier/domain/run/tasks";
import { isOver } from "@cahier/domain/task/Task";
import type * as Schema from "effect/Schema";
import { changeStatus } from "../RunContext.ts";
import type { RunWriter } from "../RunWriter.ts";
import { cancelAllTasks, cancelTask, closeInvocation, completeTask, failTaskOnly } from "./endTask.ts";
import { discardGuidance } from "./discardGuidance.ts";

/** Records a clean end. Who took somebody's place has done with it what it was handed. */
export const finish = (writer: RunWriter, invocationId: InvocationId): void => {
  const incoming = taskOf(writer.state(), invocationId);
  discardGuidance(writer, invocationId, "run_finished_before_next_model_request");
  cancelAllTasks(writer, "The work has ended.");
  changeStatus(writer, invocationId, "finishing", "finish");
  if (incoming !== undefined) {
    completeTask(writer, incoming, {});
    closeInvocation(writer, invocationId, "completed");
  }
  changeStatus(writer, invocationId, "completed", "finish");
  writer.record(draft("run_completed", invocationId, {}));
  closeInvocation(writer, invocationId, "completed");
  letGo(writer, invocationId, "completed");
};

/** What a failure says of itself. */
export interface FailureReport {
  readonly code: FailureCode;
  readonly message: string;
  readonly details?: { readonly [key: string]: Schema.Json };
}

/**
 * Records a failure: `partial_success` once anything was committed, else `failed`. After a revision that changed nothing in the
 * chat the run is as complete as it was before.
 */
export const fail = (writer: RunWriter, invocationId: InvocationId, failure: FailureReport): void => {
  const { commits } = writer.state();
  discardGuidance(
    writer,
    invocationId,
    commits.length === 0 ? "run_failed_before_next_model_request" : "run_partial_success_before_next_model_request",
  );
  endTasks(writer, invocationId, "The work could not go on.", failure);
  if (isIdleRevision(writer)) {
    const { code, message } = failure;
    return endRevision(writer, invocationId, code, { outcome: "failed", code, message });
  }
  const common = {
    code: failure.code,
    message: failure.message,
    details: failure.details ?? {},
  };
  closeInvocation(writer, invocationId, "failed");
  if (commits.length === 0) {
    changeStatus(writer, invocationId, "failed", failure.code);
    writer.record(
      draft("run_failed", invocationId, {
        ...common,
        retryable: isRetryable(failure.code),
        userRetryable: isUserRetryable(failure.code),
      }),
    );
  } else {
    changeStatus(writer, invocationId, "partial_success", failure.code);
    writer.record(
      draft("run_partial_success", invocationId, {
        ...common,
        retryable: false,
        userRetryable: false,
        preservedCommitCount: commits.length,
        preservedCommits: commits.map(({ path, mode, messageId, round }) => ({ path, mode, messageId, round })),
      }),
    );
  }
  letGo(writer, invocationId, failure.code);
};

/** Records the end of a cancelled run; nothing is committed after it. A revision is cancelled as it fails: see `fail`. */
export const cancel = (writer: RunWriter, invocationId: InvocationId): void => {
  discardGuidance(writer, invocationId, "run_cancel_requested");
  endTasks(writer, invocationId, "The work was cancelled.", undefined);
  if (isIdleRevision(writer)) {
    changeStatus(writer, invocationId, "cancelling", "cancel requested");
    return endRevision(writer, invocationId, "cancel requested", { outcome: "cancelled" });
  }
  changeStatus(writer, invocationId, "cancelling", "cancel requested");
  closeInvocation(writer, invocationId, "cancelled");
  changeStatus(writer, invocationId, "cancelled", "cancel requested");
  writer.record(draft("run_cancelled", invocationId, {}));
  letGo(writer, invocationId, "cancelled");
};

/** Nothing of the run's tasks is left open; that of whoever is in the foreground ends as the run does. */
const endTasks = (
  writer: RunWriter,
  invocationId: InvocationId,
  why: string,
  failure: FailureReport | undefined,
): void => {
  cancelAllTasks(writer, why);
  for (const task of allTasks(writer.state())) {
    if (task.continuation !== "transfer_control" || isOver(task.status)) continue;
    if (task.child === invocationId && failure !== undefined) failTaskOnly(writer, task, failure, {});
    else cancelTask(writer, task, why);
  }
};

const isIdleRevision = (writer: RunWriter): boolean => {
  const state = writer.state();
  return state.revision?.outcome === null && hasChangedNothing(state);
};

const endRevision = (
  writer: RunWriter,
  invocationId: InvocationId,
  reason: string,
  revision: NonNullable<PayloadOf<"run_completed">["revision"]>,
): void => {
  closeInvocation(writer, invocationId, revision.outcome);
  changeStatus(writer, invocationId, "finishing", reason);
  changeStatus(writer, invocationId, "completed", reason);
  writer.record({ ...draft("run_completed", invocationId, { revision }), level: "warn" });
  letGo(writer, invocationId, reason);
};

const letGo = (writer: RunWriter, invocationId: InvocationId, reason: string): void =>
  writer.record(draft("run_owner_changed", invocationId, { owner: null, reason }));
