/** The steps that end a run: finished, failed, or cancelled. */
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import { hasChangedNothing } from "@cahier/domain/run/evolveRevision";
import { isRetryable, isUserRetryable } from "@cahier/domain/failure/Failure";
import { canChange } from "@cahier/domain/invocation/Invocation";
import type { InvocationId } from "@cahier/domain/identity/Identity";
import { draft } from "@cahier/domain/run/RunEvent";
import type { PayloadOf } from "@cahier/domain/run/RunEvent";
import type { InvocationState } from "@cahier/domain/run/RunState";
import type * as Schema from "effect/Schema";
import { changeStatus } from "../RunContext.ts";
import type { RunWriter } from "../RunWriter.ts";

/** Records a clean end. */
export const finish = (writer: RunWriter, invocationId: InvocationId): void => {
  changeStatus(writer, invocationId, "finishing", "finish");
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

const closingEvent = {
  completed: "agent_invocation_completed",
  failed: "agent_invocation_failed",
  cancelled: "agent_invocation_cancelled",
} as const;

const closeInvocation = (writer: RunWriter, invocationId: InvocationId, status: keyof typeof closingEvent): void => {
  const invocation = writer.state().invocations[invocationId];
  if (invocation === undefined || !canChange(invocation.status, status)) return;
  writer.record(draft(closingEvent[status], invocationId, { ...recordOf(invocation), status }));
};

const recordOf = (invocation: InvocationState) => ({
  invocationId: invocation.id,
  ...(invocation.parent === null ? {} : { parentInvocationId: invocation.parent }),
  profileId: invocation.profileId,
  kind: invocation.kind,
});

const letGo = (writer: RunWriter, invocationId: InvocationId, reason: string): void =>
  writer.record(draft("run_owner_changed", invocationId, { owner: null, reason }));
