/**
 * One agent's part of a run: a root, a delegated subagent, a handoff, or a revision.
 */
import * as Schema from "effect/Schema";
import { InvocationId, ProfileId } from "../identity/Identity.ts";

export const InvocationKind = Schema.Literals(["root", "subagent", "handoff", "revision"]);
export type InvocationKind = typeof InvocationKind.Type;

export const InvocationStatus = Schema.Literals([
  "created",
  "running",
  "completed",
  "failed",
  "cancelled",
  "transferred",
]);
export type InvocationStatus = typeof InvocationStatus.Type;

/** How an invocation may end: by finishing the run, or by returning a task's result. */
export const ExitPolicy = Schema.Literals(["run_finish_allowed", "task_return_required", "reply_allowed"]);
export type ExitPolicy = typeof ExitPolicy.Type;

/** What the journal says of an invocation whenever its status changes. */
export const InvocationRecord = Schema.Struct({
  invocationId: InvocationId,
  parentInvocationId: Schema.optionalKey(InvocationId),
  profileId: ProfileId,
  kind: InvocationKind,
  status: InvocationStatus,
  exitPolicy: Schema.optionalKey(ExitPolicy),
});
export type InvocationRecord = typeof InvocationRecord.Type;

const legal: { readonly [From in InvocationStatus]: ReadonlyArray<InvocationStatus> } = {
  created: ["running", "failed", "cancelled"],
  running: ["completed", "failed", "cancelled", "transferred"],
  completed: [],
  failed: [],
  cancelled: [],
  transferred: [],
};

/** Whether an invocation may go from one status to another. */
export const canChange = (from: InvocationStatus, to: InvocationStatus): boolean => legal[from].includes(to);

/** An invocation in such a status never changes it again, except that a fork of its run opens it. */
export const isClosed = (status: InvocationStatus): boolean => legal[status].length === 0;

/** Root, handoff and revision invocations move the run's status; a subagent never does. */
export const ownsRunStatus = (kind: InvocationKind): boolean => kind !== "subagent";
